// Costs of a problem. METRIC is PLACES (n × M coordinates) or TABLE (distances, n × n); POWER is 1, 2, or 0 for any
// other order.
#include "exact_memory.h"
#define PLACES 0
#define TABLE 1

// (unit · distance)², or its root.
__device__ __forceinline__ double scaled_distance(
    const double *ground, Index n, Index x, Index y, double unit, bool square) {
#if METRIC == TABLE
    double d = ground[x * n + y] * unit;
    return square ? d * d : d;
#else
    const double *p = ground + x * M, *q = ground + y * M;
    double total = 0;
    for (int a = 0; a < M; a++) {
        double step = (p[a] - q[a]) * unit;
        total += step * step;
    }
    return square ? total : sqrt(total);
#endif
}

// Costs between the points x and y; returns the length that has cost 1, in `unit`s.
__device__ __forceinline__ double fill_costs(
    Problem &problem, Team &team, const double *ground, Index n, const Index *x, const Index *y, double unit, double p) {
    int s = team.lane / problem.nb, t = team.lane % problem.nb;
    double top = 0;
    while (s < problem.na) {
        double cost = scaled_distance(ground, n, x[s], y[t], unit, POWER == 2);
        problem.cost[s * problem.stride + t] = cost;
        top = cost <= top ? top : cost;  // NaN is kept
        for (t += TEAM; t >= problem.nb; t -= problem.nb) s++;
    }
    problem.top = problem.reach = largest(team, top);
#if POWER == 0
    double longest = problem.top;
    if (!(longest > 0)) return 1;
    s = team.lane / problem.nb, t = team.lane % problem.nb;
    while (s < problem.na) {
        double *cost = problem.cost + s * problem.stride + t;
        *cost = *cost > 0 ? pow(*cost / longest, p) : 0.0;
        for (t += TEAM; t >= problem.nb; t -= problem.nb) s++;
    }
    problem.top = problem.reach = 1;
    together();
    return longest;
#else
    together();
    return 1;
#endif
}
