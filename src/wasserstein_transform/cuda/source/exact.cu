// Exact transport between pairs of measures, with a team of threads for each.
#include "exact_refining.h"
#define GAP 1e-12        // largest accepted primal–dual gap, relative to the largest cost of the problem
#define DROWNING 1e-4    // a mean cost below this, relative to the largest cost, has lost digits to rounding
#define LOST 1e-9        // the same for costs that are distances, which lose digits later
#define NEAR_ZERO 1e-200 // squares below this are too close to underflow
#define ROUNDS 20        // most rounds for finding the unit of a problem
#define UNCERTAIN -1.0   // no certificate
#define DROWNED -2.0     // too small relative to the largest cost: no unit was found

#define THREADS (SIDE == 32 ? 64 : TEAM)                                   // per block
#define BLOCKS (SIDE == 32 ? (POWER == 1 ? 14 : 11) : SIDE == 64 ? 9 : 1)  // blocks that fit on a multiprocessor

// The case that nothing is left after cancelling, or only on one side: rounding errors of the masses, or small masses.
__device__ __forceinline__ double left_over(Problem &problem, Team &team, double total, double &gap) {
    double rest = 0;
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        if (s < problem.ka) rest += problem.rest_a[s];
        if (s < problem.kb) rest += problem.rest_b[s];
    }
    gap = sum(team, rest, problem.left) / total;
    return gap == 0 ? 0 : gap <= GAP ? DROWNED : UNCERTAIN;
}

// The mean cost of the plan, its gap relative to the largest cost, and the length, in `unit`s, that has cost 1.
__device__ __forceinline__ double solved(
    Problem &problem, Team &team, const Measure &a, const Measure &b, const double *ground, Index n, double unit, double p,
    bool cancel, double &length, double &gap) {
    length = pose(problem, team, a, b, ground, n, unit, p, cancel);
    double total = a.total * b.total, least_cost = POWER == 1 ? LOST * problem.top : DROWNING * problem.top, clip = CLIP;
    if (problem.top == 0) return POWER == 2 ? DROWNED : 0;
    if (problem.ka == 0 || problem.kb == 0) return left_over(problem, team, total, gap);
    if (!(problem.top < 1e300) || (POWER == 2 && problem.top <= NEAR_ZERO)) return DROWNED;
    for (int round = 0; round < ROUNDS; round++) {
        Arc arcs[2 * PER];
        double low[PER];
        bool clipped, doubtful;
        plant(problem, team, arcs);
        if (!optimize(problem, team, arcs, low)) return UNCERTAIN;
        if (round > 0) settle(problem, team, a, b, arcs);
        double value = plan_cost(problem, team, arcs, round > 0 ? clip : 1e300, clipped, doubtful);
        gap = fabs(value - dual_value(problem, team, low)) / (total * problem.top);
        if (!(gap <= GAP)) return UNCERTAIN;
        value /= total;
        doubtful = doubtful && (round > 0 || value < least_cost);
        if (!clipped && !doubtful && value >= least_cost) return value;
        if (POWER == 1) return value > 0 || doubtful ? DROWNED : 0;
        if (doubtful && (round > 0 || !(value > 0))) return DROWNED;  // the CPU tells rounding errors from small masses
        if (!(value > 0)) return stays(problem, team, a, b, ground, n, unit, arcs) ? 0 : DROWNED;
        if (clipped)
            clip *= CLIP;
        else
            length *= POWER == 2 ? sqrt(value) : pow(value, 1 / p);
        rescale(problem, team, a, b, ground, n, unit, p, length, clip);
        least_cost = DROWNING;
    }
    return DROWNED;
}

// out[k] = W_p of the measures firsts[k] and seconds[k], UNCERTAIN or DROWNED; gaps[k] = primal–dual gap relative to the
// largest cost. A problem has `n_bytes` of the shared memory.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) solve_pairs(const double *ground, Index n_points, const Index *starts_a, const Index *points_a, const double *masses_a, const double *totals_a, const Index *starts_b, const Index *points_b, const double *masses_b, const double *totals_b, const Index *firsts, const Index *seconds, Index n, double unit, double p, Index cancel, Index n_bytes, double *out, double *gaps) {
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
        if (a.n > b.n) {  // pricing loops over the sources
            Measure few = b;
            b = a, a = few;
        }
        value = solved(problem, team, a, b, ground, n_points, unit, p, cancel != 0, length, gap);
    }
    if (value > 0) value = length / unit * (POWER == 1 ? value : POWER == 2 ? sqrt(value) : pow(value, 1 / p));
    if (team.lane == 0) out[k] = value, gaps[k] = gap;
}
