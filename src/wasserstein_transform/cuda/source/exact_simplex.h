// The network simplex of a team. Every node stores the arcs on its path to the root as a bit mask: the cycle of an
// entering arc, the branch that a leaving arc cuts off, and the new masks of that branch are each one exclusive or.
#include "exact_start.h"
#define TOLERANCE 1e-14               // reduced costs below minus this, relative to the relevant costs, count as negative
#define NOISE 8.881784197001252e-16   // relative rounding error of the terms of a reduced cost
#define FAINT 1.7763568394002505e-15  // share of the mass that may be rounding error

__device__ __forceinline__ bool pays(double cost, double u, double v, double tolerance) {
    return cost - u - v < -tolerance - NOISE * (fabs(cost) + fabs(u) + fabs(v));
}

// For each sink of this thread, the best source under the potentials, and its reduced cost.
__device__ __forceinline__ void look(Problem &problem, Team &team, int n_sources, int n_sinks, double low[PER]) {
    const double *cost[PER];
    int who[PER];
    for (int q = 0; q < PER; q++) {
        cost[q] = problem.cost + min(team.lane + TEAM * q, n_sinks - 1);
        low[q] = *cost[q] - problem.u[0], who[q] = 0;
    }
    for (int s = 1; s < n_sources; s++) {
        double u = problem.u[s];
        for (int q = 0; q < PER; q++) {
            cost[q] += problem.stride;
            double x = *cost[q] - u;
            if (x < low[q]) low[q] = x, who[q] = s;
        }
    }
    for (int q = 0; q < PER; q++)
        if (team.lane + TEAM * q < n_sinks) problem.chosen[team.lane + TEAM * q] = who[q];
    together();
}

// Of the arcs found in the last pricing pass, approximately the most negative one, as a key of its sink.
__device__ __forceinline__ unsigned entering(Problem &problem, Team &team) {
    unsigned key = NOBODY;
    for (int q = 0; q < PER; q++) {
        int t = team.lane + TEAM * q;
        if (t >= problem.kb) continue;
        int s = problem.chosen[t];
        double cost = problem.cost[s * problem.stride + t], u = problem.u[s], v = problem.v[t];
        if (pays(cost, u, v, TOLERANCE * problem.reach)) key = min(key, key_of(cost - u - v, t));
    }
    return least(team, key);
}

// The arc from s to t enters; of the blocking arcs of its cycle, the last one from the node nearest to the root leaves,
// which keeps trees strongly feasible. False if none can leave.
__device__ __forceinline__ bool pivot(Problem &problem, Team &team, int s, int t, Arc arcs[2 * PER]) {
    Mask source_way = problem.tree[s], sink_way = problem.tree[SIDE + t], change;
    double reduced = problem.cost[s * problem.stride + t] - problem.u[s] - problem.v[t];
    int n_arcs = problem.ka + problem.kb - 1;
    for (int w = 0; w < WORDS; w++) change.words[w] = source_way.words[w] ^ sink_way.words[w];
    unsigned high = NOBODY, low = NOBODY;
    double sign[2 * PER];
    unsigned rank[2 * PER];
    for (int q = 0; q < 2 * PER; q++) {
        int arc = team.lane + TEAM * q;
        sign[q] = 0;
        if (arc >= n_arcs || !has(change, arc)) continue;
        const Mask *way = problem.tree + arcs[q].source;
        bool from_below = has_stored(way, arc), beside_source = has(source_way, arc);
        int depth = depth_of(*way) + !from_below;
        sign[q] = from_below == beside_source ? -1 : 1;
        rank[q] = (unsigned)((beside_source ? 4 * SIDE - depth : depth) * 256 + arc);
        unsigned first = high_word(arcs[q].flow), second = low_word(arcs[q].flow);
        if (sign[q] < 0 && (first < high || (first == high && second < low))) high = first, low = second;
    }
    double moved = least_positive(team, high, low);
    unsigned last = NOBODY;
    for (int q = 0; q < 2 * PER; q++)
        if (sign[q] < 0 && arcs[q].flow == moved) last = min(last, rank[q]);
    last = least(team, last);
    if (last == NOBODY) return false;
    int out = last & 255;
    double step = has(source_way, out) ? reduced : -reduced;
    flip(change, out);
    together();  // all threads have read the data that change now
    for (int q = 0; q < 2 * PER; q++) {
        if (sign[q] != 0) arcs[q].flow += sign[q] * moved;
        if (team.lane + TEAM * q == out) arcs[q] = {s, t, moved};
    }
    for (int q = 0; q < 2 * PER; q++) {
        int at = team.lane + TEAM * (q % PER);
        Mask *way = problem.tree + (q < PER ? at : SIDE + at);
        if (!has_stored(way, out)) continue;
        for (int w = 0; w < WORDS; w++) way->words[w] ^= change.words[w];
        if (q < PER)
            problem.u[at] += step;
        else
            problem.v[at] -= step;
    }
    together();
    return true;
}

// Pivot until no reduced cost is negative; `low` is then the smallest reduced cost of each sink. False if it does not end.
__device__ __forceinline__ bool optimize(Problem &problem, Team &team, Arc arcs[2 * PER], double low[PER]) {
    int left = 1000 + 50 * (problem.ka + problem.kb);
    for (;;) {
        look(problem, team, problem.ka, problem.kb, low);
        unsigned key = entering(problem, team);
        if (key == NOBODY) return true;
        for (; key != NOBODY; key = entering(problem, team)) {
            int t = key & IDS;
            if (left-- == 0 || !pivot(problem, team, problem.chosen[t], t, arcs)) return false;
        }
    }
}

// The cost of the plan, whether it moves mass at costs ≥ `dear`, and whether tiny differences of masses were left out, which
// may be rounding errors.
__device__ __forceinline__ double plan_cost(
    Problem &problem, Team &team, const Arc arcs[2 * PER], double dear, bool &at_dear, bool &doubtful) {
    unsigned cheap = 1, sure = 1;
    double total = 0, value = 0;
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        if (s < problem.ka) total += problem.rest_a[s];
    }
    double faint = FAINT * sum(team, total, problem.left);
    for (int q = 0; q < 2 * PER; q++) {
        if (team.lane + TEAM * q >= problem.ka + problem.kb - 1) continue;
        int s = arcs[q].source, t = arcs[q].sink;
        double flow = arcs[q].flow;
        double cost = problem.cost[s * problem.stride + t];
        if (!(flow > faint || (flow > 0 && 2 * flow > min(problem.rest_a[s], problem.rest_b[t])))) {
            if (flow != 0 && cost > 0) sure = 0;
            continue;
        }
        value += flow * cost;
        if (cost >= dear) cheap = 0;
    }
    at_dear = POWER != 1 && !least(team, cheap);
    doubtful = !least(team, sure);
    return sum(team, value, problem.left);
}

// The dual value of the potentials of the sources and the best ones of the sinks. If common mass was cancelled,
// potentials are extended to all points first.
__device__ __forceinline__ double dual_value(Problem &problem, Team &team, double low[PER]) {
    if (problem.ka < problem.na || problem.kb < problem.nb) {
        for (int q = 0; q < PER; q++)
            if (team.lane + TEAM * q < problem.kb) problem.v[team.lane + TEAM * q] = low[q];
        together();
        for (int q = 0; q < PER; q++) {
            int s = team.lane + TEAM * q;
            if (s >= problem.na) continue;
            double least = problem.cost[s * problem.stride] - problem.v[0];
            for (int t = 1; t < problem.kb; t++) least = min(least, problem.cost[s * problem.stride + t] - problem.v[t]);
            problem.u[s] = least;
        }
        together();
        look(problem, team, problem.na, problem.nb, low);
    }
    double bound = 0;
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        if (s < problem.na) bound += problem.supply[s] * problem.u[s];
        if (s < problem.nb) bound += problem.demand[s] * low[q];
    }
    return sum(team, bound, problem.left);
}
