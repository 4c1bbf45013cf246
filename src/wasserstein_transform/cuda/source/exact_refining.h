// If W_p is small compared with the largest distance, its costs lose digits: such problems are set up again in the unit of
// W_p itself, with much larger costs clipped, and flows in double-double precision.
#include "exact_simplex.h"
#define CLIP 1e3  // arcs more expensive than about this times the mean cost are hardly ever used

struct Twofold {  // a number and its rounding error
    double high, low;
};

__device__ __forceinline__ Twofold plus(Twofold a, Twofold b) {
    double total = __dadd_rn(a.high, b.high), part = __dsub_rn(total, a.high);
    double low = __dadd_rn(__dsub_rn(a.high, __dsub_rn(total, part)), __dsub_rn(b.high, part));
    low = __dadd_rn(low, __dadd_rn(a.low, b.low));
    double high = __dadd_rn(total, low);
    return {high, __dsub_rn(low, __dsub_rn(high, total))};
}

__device__ __forceinline__ Twofold times(double a, Twofold b) {
    double high = __dmul_rn(a, b.high), low = fma(a, b.low, fma(a, b.high, -high));
    double total = __dadd_rn(high, low);
    return {total, __dsub_rn(low, __dsub_rn(total, high))};
}

__device__ __forceinline__ Twofold total_of(const Measure &measure) {
    Twofold total = {0, 0};
    for (int k = 0; k < measure.n; k++) total = plus(total, {measure.masses[k], 0});
    return total;
}

// Recompute the flows of the tree from the masses: each is the excess mass of its branch.
__device__ __forceinline__ void settle(
    Problem &problem, Team &team, const Measure &a, const Measure &b, Arc arcs[2 * PER]) {
    Twofold total_a = total_of(a), total_b = total_of(b);
#pragma unroll  // arcs stay in registers
    for (int q = 0; q < 2 * PER; q++) {
        int arc = team.lane + TEAM * q;
        if (arc >= a.n + b.n - 1) continue;
        Twofold net = {0, 0};
        for (int s = 0; s < a.n; s++)
            if (has_stored(problem.tree + s, arc)) net = plus(net, times(a.masses[s], total_b));
        for (int t = 0; t < b.n; t++)
            if (has_stored(problem.tree + SIDE + t, arc)) net = plus(net, times(-b.masses[t], total_a));
        arcs[q].flow = has_stored(problem.tree + arcs[q].source, arc) ? net.high : -net.high;
    }
    together();
}

// Costs (distance/length)^p, at most `clip`; `length` is in `unit`s.
__device__ __forceinline__ void rescale(
    Problem &problem, Team &team, const Measure &a, const Measure &b, const double *ground, Index n, double unit,
    double p, double length, double clip) {
    double top = 0;
    together();
    for (int s = team.lane / b.n, t = team.lane % b.n; s < a.n;) {
        double d = scaled_distance(ground, n, a.points[s], b.points[t], unit, false) / length;
        double cost = d > 0 ? min(POWER == 2 ? d * d : pow(d, p), clip) : 0.0;
        problem.cost[s * problem.stride + t] = cost;
        top = max(top, cost);
        for (t += TEAM; t >= b.n; t -= b.n) s++;
    }
    problem.top = largest(team, top);
    problem.reach = min(problem.top, CLIP);
    together();
}

// Whether the plan moves mass only by distance 0; powers of other distances may have underflowed.
__device__ __forceinline__ bool stays(
    Problem &problem, Team &team, const Measure &a, const Measure &b, const double *ground, Index n, double unit,
    const Arc arcs[2 * PER]) {
    unsigned still = 1;
#pragma unroll
    for (int q = 0; q < 2 * PER; q++) {
        if (team.lane + TEAM * q >= a.n + b.n - 1 || !(arcs[q].flow > 0)) continue;
        Index x = a.points[arcs[q].source], y = b.points[arcs[q].sink];
        if (scaled_distance(ground, n, x, y, unit * 0x1p500, false) > 0) still = 0;
    }
    return least(team, still);
}
