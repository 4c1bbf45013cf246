// Costs of a problem. METRIC is PLACES (n × M coordinates) or TABLE (distances, n × n); POWER is 1, 2, or 0 for any
// other order.
#include "exact_memory.h"
#define PLACES 0
#define TABLE 1

__device__ __forceinline__ double cost_between(const double *ground, Index n, Index x, Index y, double unit) {
#if METRIC == TABLE
    double d = ground[x * n + y];
    return POWER == 2 ? (d * unit) * (d * unit) : d * unit;
#else
    const double *p = ground + x * M, *q = ground + y * M;
    double total = 0;
    for (int a = 0; a < M; a++) {
        double step = (p[a] - q[a]) * unit;
        total += step * step;
    }
    return POWER == 2 ? total : sqrt(total);
#endif
}

// Costs between the points x and y, in `unit`s; sets the largest. Returns the length whose power is the cost 1.
__device__ __forceinline__ double fill_costs(
    Problem &problem, Team &team, const double *ground, Index n, const Index *x, const Index *y, double unit, double p) {
    int s = team.lane / problem.nb, t = team.lane % problem.nb;
    double top = 0;
    while (s < problem.na) {
        double cost = cost_between(ground, n, x[s], y[t], unit);
        problem.cost[s * problem.stride + t] = cost;
        top = cost <= top ? top : cost;  // what is no number stays
        for (t += TEAM; t >= problem.nb; t -= problem.nb) s++;
    }
    problem.top = largest(team, top);
#if POWER == 0
    double longest = problem.top;
    if (!(longest > 0)) return 1 / unit;
    s = team.lane / problem.nb, t = team.lane % problem.nb;
    while (s < problem.na) {
        double *cost = problem.cost + s * problem.stride + t;
        *cost = *cost > 0 ? pow(*cost / longest, p) : 0.0;
        for (t += TEAM; t >= problem.nb; t -= problem.nb) s++;
    }
    problem.top = 1;
    unit /= longest;
#endif
    together();
    return 1 / unit;
}
