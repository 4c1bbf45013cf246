// The initial tree. Sinks that would lose most without their best source are served first, by costs minus the mean cost
// of each source. In each step an arc joins a finished node with one that continues.
#include "exact_posing.h"

struct Arc {
    int source, sink;
    double flow;
};

// Mean costs of the sources into u, and for each sink of this thread the saving of its best source.
__device__ __forceinline__ void regrets(Problem &problem, Team &team, double regret[PER]) {
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        double cost = 0, mass = 0;
        for (int t = 0; s < problem.ka && t < problem.kb; t++) {
            cost += problem.rest_b[t] * problem.cost[s * problem.stride + t];
            mass += problem.rest_b[t];
        }
        if (s < problem.ka) problem.u[s] = cost / mass;
    }
    together();
    for (int q = 0; q < PER; q++) {
        int t = team.lane + TEAM * q;
        double best = 1e300, second = 1e300;
        for (int s = 0; t < problem.kb && s < problem.ka; s++) {
            double x = problem.cost[s * problem.stride + t] - problem.u[s];
            second = min(second, max(best, x));
            best = min(best, x);
        }
        regret[q] = second - best;
    }
}

// The unserved sink with the largest loss; each thread keeps its own.
__device__ __forceinline__ int next_sink(Problem &problem, Team &team, const double regret[PER], int served) {
    unsigned key = NOBODY;
    for (int q = 0; q < PER; q++) {
        int t = team.lane + TEAM * q;
        if (t < problem.kb && !(served >> q & 1)) key = min(key, key_of(-regret[q], t));
    }
    return least(team, key) & IDS;
}

// A strongly feasible tree (in a tie the sink is finished, and the source continues with mass 0), with its arcs
// distributed over the threads, and its potentials.
__device__ __forceinline__ void plant(Problem &problem, Team &team, Arc arcs[2 * PER]) {
    double regret[PER], mean[PER], dual[2 * PER];
    Mask mask[2 * PER] = {};  // masks of the sources, then the sinks of this thread
    int above[2 * PER];       // the node that continues, for each of them
    int gone_sources = 0, gone_sinks = 0;
    regrets(problem, team, regret);
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        mean[q] = problem.u[s], dual[q] = dual[PER + q] = 0;
        above[q] = s, above[PER + q] = SIDE + s;
        if (s < problem.ka)
            problem.left[s] = problem.rest_a[s];
        else
            gone_sources |= 1 << q;
    }
    together();
    int n_sources = problem.ka, n_sinks = problem.kb, t = next_sink(problem, team, regret, gone_sinks);
    double wanted = problem.rest_b[t];
    for (int arc = 0; n_sources > 0; arc++) {
        unsigned key = NOBODY;
        for (int q = 0; q < PER; q++) {
            int s = team.lane + TEAM * q;
            if (!(gone_sources >> q & 1)) key = min(key, key_of(problem.cost[s * problem.stride + t] - mean[q], s));
        }
        int s = least(team, key) & IDS;
        double cost = problem.cost[s * problem.stride + t], given = problem.left[s];
        bool served = n_sinks > 1 && (n_sources == 1 || given >= wanted);
        int gone = served ? SIDE + t : s, up = served ? s : SIDE + t;
        double rise = served ? -cost : cost;
        for (int q = 0; q < 2 * PER; q++) {
            if (above[q] == gone) above[q] = up, flip(mask[q], arc), dual[q] += q < PER ? rise : -rise;
            if (arc == team.lane + TEAM * q) arcs[q] = {s, t, served ? wanted : given};
        }
        for (int q = 0; q < PER; q++)
            if (!served && s == team.lane + TEAM * q) gone_sources |= 1 << q;
        if (served) {
            for (int q = 0; q < PER; q++)
                if (t == team.lane + TEAM * q) gone_sinks |= 1 << q;
            together();
            if (team.lane == s % TEAM) problem.left[s] = max(given - wanted, 0.0);
            n_sinks--;
            t = next_sink(problem, team, regret, gone_sinks);
            wanted = problem.rest_b[t];
            together();
        } else {
            wanted = max(wanted - given, 0.0);
            n_sources--;
        }
    }
    together();
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        problem.u[s] = dual[q], problem.v[s] = dual[PER + q];
        problem.tree[s] = mask[q], problem.tree[SIDE + s] = mask[PER + q];
    }
    together();
}
