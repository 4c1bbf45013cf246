// The network simplex of a team. Every node keeps the arcs on its way to the root as a mask of bits: the cycle that an
// arc closes, the branch that a leaving arc cuts off, and the masks of that branch when it hangs elsewhere are each one
// exclusive or.
#include "exact_start.h"
#define TOLERANCE 1e-14               // of the costs of interest: what counts as a negative reduced cost
#define NOISE 8.881784197001252e-16   // of the terms of a reduced cost: their rounding
#define FAINT 1.7763568394002505e-15  // share of the mass that may be rounding

__device__ __forceinline__ bool pays(double cost, double u, double v, double tolerance) {
    return cost - u - v < -tolerance - NOISE * (fabs(cost) + fabs(u) + fabs(v));
}

// For each sink of this thread the best source by the potentials, and what it leaves.
__device__ __forceinline__ void look(Problem &problem, Team &team, int n_sources, int n_sinks, double low[PER]) {
    for (int q = 0; q < PER; q++) {
        int t = team.lane + TEAM * q, who = 0;
        if (t >= n_sinks) continue;
        const double *cost = problem.cost + t;
        double best = *cost - problem.u[0];
        for (int s = 1; s < n_sources; s++) {
            cost += problem.stride;
            double x = *cost - problem.u[s];
            if (x < best) best = x, who = s;
        }
        low[q] = best;
        problem.chosen[t] = who;
    }
    together();
}

// Of the arcs that the last look chose, the one that pays about most, as a key of its sink.
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

// The arc from s to t enters; of those that block its cycle the last one, seen from the node nearest to the root,
// leaves: trees stay strongly feasible. False if none can leave.
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
    together();  // all have read what changes now
    for (int q = 0; q < 2 * PER; q++) {
        if (sign[q] != 0) arcs[q].flow += sign[q] * moved;
        if (team.lane + TEAM * q == out) arcs[q] = {s, t, moved};
    }
    for (int q = 0; q < 2 * PER; q++) {
        int at = team.lane + TEAM * (q % PER);
        Mask *way = problem.tree + (q < PER ? at : SIDE + at);
        if (!has_stored(way, out)) continue;
        for (int w = 0; w < WORDS; w++) way->words[w] ^= change.words[w];
        if (q < PER) problem.u[at] += step;
        else problem.v[at] -= step;
    }
    together();
    return true;
}

// Pivots until no arc pays; `low` is then what the best source leaves for each sink. False if there is no end.
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

// The cost of the plan, and whether it moves mass at `dear` costs; a faint rest of larger masses is what rounding left.
__device__ __forceinline__ double plan_cost(
    Problem &problem, Team &team, const Arc arcs[2 * PER], double dear, bool &at_dear) {
    unsigned cheap = 1;
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
        if (!(flow > faint || (flow > 0 && 2 * flow > min(problem.rest_a[s], problem.rest_b[t])))) continue;
        double cost = problem.cost[s * problem.stride + t];
        value += flow * cost;
        if (cost >= dear) cheap = 0;
    }
    at_dear = POWER != 1 && !least(team, cheap);
    return sum(team, value, problem.left);
}

// The value of the sources' potentials and the best that sinks can have beside them. Where common mass stayed in place,
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
