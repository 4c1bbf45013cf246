// Exact transport between pairs of measures, a team of threads each.
#include "exact_simplex.h"
#define GAP 1e-12        // largest primal–dual gap accepted, of the largest cost of the problem
#define DROWNING 1e-4    // of the largest cost: a mean cost below this has lost digits to rounding beside it
#define LOST 1e-9        // the same where costs are distances: they lose digits later
#define NEAR_ZERO 1e-200 // squares below this are too near to underflow
#define UNCERTAIN -1.0   // no certificate
#define DROWNED -2.0     // certified, and small beside the largest cost: it asks for a unit of its own

// The cost of the plan, its gap relative to the largest cost, and the length whose power is the cost 1.
__device__ __forceinline__ double solved(
    Problem &problem, Team &team, const Measure &a, const Measure &b, const double *ground, Index n, double unit, double p,
    bool cancel, double &length, double &gap) {
    length = pose(problem, team, a, b, ground, n, unit, p, cancel);
    double total = a.total * b.total, low[PER];
    gap = 0;
    if (problem.top == 0) return POWER == 2 ? DROWNED : 0;
    if (problem.ka == 0 || problem.kb == 0) {  // equal measures, up to rounding of their masses
        double rest = 0;
        for (int q = 0; q < PER; q++) {
            int s = team.lane + TEAM * q;
            if (s < problem.ka) rest += problem.rest_a[s];
            if (s < problem.kb) rest += problem.rest_b[s];
        }
        gap = sum(team, rest, problem.left) / total;
        return gap <= GAP ? 0 : UNCERTAIN;
    }
    if (!(problem.top < 1e300) || (POWER == 2 && problem.top <= NEAR_ZERO)) return DROWNED;
    Arc arcs[2 * PER];
    plant(problem, team, arcs);
    if (!optimize(problem, team, arcs, low)) return UNCERTAIN;
    double value = plan_cost(problem, team, arcs);
    gap = fabs(value - dual_value(problem, team, low)) / (total * problem.top);
    if (!(gap <= GAP)) return UNCERTAIN;
    if (value < (POWER == 1 ? LOST : DROWNING) * problem.top * total && (value > 0 || POWER != 1)) return DROWNED;
    return max(value / total, 0.0);
}

// out[k] = W_p of the measures firsts[k] and seconds[k], UNCERTAIN or DROWNED; gaps[k] = primal–dual gap relative to the
// largest cost. A problem has `n_bytes` of the shared memory.
extern "C" __global__ void __launch_bounds__(128, SIDE == 32 ? 7 : 4) solve_pairs(const double *ground, Index n_points, const Index *starts_a, const Index *points_a, const double *masses_a, const double *totals_a, const Index *starts_b, const Index *points_b, const double *masses_b, const double *totals_b, const Index *firsts, const Index *seconds, Index n, double unit, double p, Index cancel, Index n_bytes, double *out, double *gaps) {
    SHARED(char, memory);
    Index k = thread_number() / TEAM;
    if (k >= n) return;
    Team team{(int)(threadIdx.x % TEAM), 0, 0};
    Problem problem;
    lay_out(problem, team, memory + threadIdx.x / TEAM * n_bytes);
    Measure a = measure({starts_a, points_a, masses_a, totals_a}, firsts[k]);
    Measure b = measure({starts_b, points_b, masses_b, totals_b}, seconds[k]);
    double value = 0, gap = 0, length = 0;
    if (!same(team, a, b)) {
        if (a.n > b.n) {  // looks go through the sources one by one
            Measure few = b;
            b = a, a = few;
        }
        value = solved(problem, team, a, b, ground, n_points, unit, p, cancel != 0, length, gap);
    }
    if (value > 0) value = length * (POWER == 1 ? value : POWER == 2 ? sqrt(value) : pow(value, 1 / p));
    if (team.lane == 0) out[k] = value, gaps[k] = gap;
}
