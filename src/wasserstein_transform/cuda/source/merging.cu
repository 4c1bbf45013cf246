// Merging of points that coincide: a point leads if no earlier leader is within the limit.
// Positions of a cell are in the order of their ranks, so the earliest are visited first.
#include "geometry.h"
#define UNDECIDED 0
#define LEADS 1
#define FOLLOWS 2

__device__ __forceinline__ bool is_near(const Geometry &geometry, Index i, Index j, double limit) {
#if METRIC == CLOUD
    if (limit == 0) {  // squares of tiny differences are 0
        for (int a = 0; a < M; a++)
            if (geometry.rows[i * K + a] != geometry.rows[j * K + a]) return false;
        return true;
    }
#endif
    return squared_within(geometry, i, j, limit) <= limit;
}

// Decide those of the undecided positions begin ≤ i < end whose earlier neighbors are decided. Concurrent decisions may
// be visible or not: a decision is never wrong, at worst it comes a round later. If `hasty`, the search ends at the first
// undecided neighbor.
extern "C" __global__ void decide(const REAL *metric, double lam, const Index *cell, const Index *starts, const Index *runs, Index n_runs, const Index *ranks, Index begin, Index end, double limit, Index hasty, int *states) {
    Geometry geometry{metric, (REAL)lam};
    Index i = begin + thread_number();
    if (i >= end || states[i] != UNDECIDED) return;
    const Index *here = runs + 2 * n_runs * cell[i];
    bool waits = false;
    for (int r = 0; r < n_runs; r++) {
        if (here[2 * r] == here[2 * r + 1]) continue;
        Index last = cell[here[2 * r + 1] - 1];
        for (Index c = cell[here[2 * r]]; c <= last; c++)
            for (Index j = starts[c]; j < starts[c + 1] && ranks[j] < ranks[i]; j++) {
                int state = states[j];
                if (state == FOLLOWS || (state == UNDECIDED && waits) || !is_near(geometry, i, j, limit)) continue;
                if (state == LEADS) {
                    states[i] = FOLLOWS;
                    return;
                }
                waits = true;
                if (hasty) return;
            }
    }
    if (!waits) states[i] = LEADS;
}

// leaders[point] = the first near leader, for the positions begin ≤ i < end.
extern "C" __global__ void find_leaders(const REAL *metric, double lam, const Index *cell, const Index *starts, const Index *runs, Index n_runs, const Index *ranks, Index begin, Index end, double limit, const int *states, const Index *order, Index *leaders) {
    Geometry geometry{metric, (REAL)lam};
    Index i = begin + thread_number();
    if (i >= end) return;
    const Index *here = runs + 2 * n_runs * cell[i];
    Index best = i;
    for (int r = 0; r < n_runs && states[i] == FOLLOWS; r++) {
        if (here[2 * r] == here[2 * r + 1]) continue;
        Index last = cell[here[2 * r + 1] - 1];
        for (Index c = cell[here[2 * r]]; c <= last; c++)
            for (Index j = starts[c]; j < starts[c + 1] && ranks[j] < ranks[best]; j++)
                if (states[j] == LEADS && is_near(geometry, i, j, limit)) best = j;
    }
    leaders[order[i]] = order[best];
}
