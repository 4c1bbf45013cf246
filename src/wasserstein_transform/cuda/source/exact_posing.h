// Set up a problem: the masses of two measures, with common mass cancelled if allowed, and their costs.
#include "exact_costs.h"

struct Measures {
    const Index *starts, *points;
    const double *masses, *totals;
};

struct Measure {
    int n;
    const Index *points;  // in increasing order
    const double *masses;
    double total;
};

__device__ __forceinline__ Measure measure(const Measures &measures, Index row) {
    Index start = measures.starts[row];
    return {(int)(measures.starts[row + 1] - start), measures.points + start, measures.masses + start,
            measures.totals[row]};
}

__device__ __forceinline__ bool same(Team &team, const Measure &a, const Measure &b) {
    bool differ = a.n != b.n || a.total != b.total;
    for (int s = team.lane; !differ && s < a.n; s += TEAM)
        differ = a.points[s] != b.points[s] || a.masses[s] != b.masses[s];
    return least(team, differ ? 0 : 1);
}

// Index of a point in a measure; −1 if it is not there.
__device__ __forceinline__ int place_of(const Measure &measure, Index point) {
    int low = 0, high = measure.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (measure.points[middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < measure.n && measure.points[low] == point ? low : -1;
}

// a·b − c·d, rounded once.
__device__ __forceinline__ double excess(double a, double b, double c, double d) {
    double x = __dmul_rn(a, b), y = __dmul_rn(c, d);
    double over = x - y, part = over - x;
    double low = (x - (over - part)) - (y + part);
    return over + (low + (fma(a, b, -x) - fma(c, d, -y)));
}

// Masses of one side, multiplied by the other total, those with mass left first; returns the number of these.
__device__ __forceinline__ int weigh(
    Problem &problem, Team &team, const Measure &mine, const Measure &other, bool cancel, double *masses, double *rest,
    Index *points) {
    double whole[PER], over[PER];
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q;
        whole[q] = over[q] = s < mine.n ? mine.masses[s] * other.total : 0;
        int twin = cancel && s < mine.n ? place_of(other, mine.points[s]) : -1;
        if (twin >= 0) over[q] = max(excess(mine.masses[s], other.total, other.masses[twin], mine.total), 0.0);
        unsigned mark = __ballot_sync(0xffffffff, s < mine.n && over[q] > 0);
        if (s % 32 == 0) problem.marks[s / 32] = mark;
    }
    together();
    int n_left = 0;
    for (int w = 0; w < SIDE / 32; w++) n_left += __popc(problem.marks[w]);
    for (int q = 0; q < PER; q++) {
        int s = team.lane + TEAM * q, before = 0;
        if (s >= mine.n) continue;
        for (int w = 0; w < s / 32; w++) before += __popc(problem.marks[w]);
        before += __popc(problem.marks[s / 32] & ((1u << s % 32) - 1));
        int at = over[q] > 0 ? before : n_left + s - before;
        masses[at] = whole[q], rest[at] = over[q], points[at] = mine.points[s];
    }
    together();
    return n_left;
}

// Returns the length that has cost 1, in `unit`s.
__device__ __forceinline__ double pose(
    Problem &problem, Team &team, const Measure &a, const Measure &b, const double *ground, Index n, double unit,
    double p, bool cancel) {
    problem.na = a.n, problem.nb = b.n, problem.stride = b.n | 1;
    Index *x = (Index *)problem.u, *y = (Index *)problem.v;  // memory of the potentials, which are computed later
    problem.ka = weigh(problem, team, a, b, cancel, problem.supply, problem.rest_a, x);
    problem.kb = weigh(problem, team, b, a, cancel, problem.demand, problem.rest_b, y);
    return fill_costs(problem, team, ground, n, x, y, unit, p);
}
