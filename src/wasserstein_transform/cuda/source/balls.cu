// Closed balls as lists: one warp per point, one candidate per lane.
#include "blocks.h"
#include "geometry.h"

__device__ __forceinline__ bool is_near(const Geometry &geometry, int i, int j, double limit, double &apart) {
    apart = i == j ? 0 : squared_within(geometry, i, j, limit);
    return apart <= limit;
}

// counts[k - begin] = number of points in the closed ball of point k, begin ≤ k < end; `where` are the positions.
extern "C" __global__ void count_balls(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *where, Index begin, Index end, double limit, Index *counts) {
    Geometry geometry{metric, (REAL)lam};
    Index point = begin + thread_number() / 32;
    if (point >= end) return;
    int lane = threadIdx.x % 32, i = (int)where[point], count = 0;
    const Index *here = runs + 2 * n_runs * cell[i];
    double apart;
    for (int r = 0; r < n_runs; r++)
        for (int j = (int)here[2 * r] + lane; j < here[2 * r + 1]; j += 32) count += is_near(geometry, i, j, limit, apart);
    for (int by = 16; by > 0; by /= 2) count += __shfl_xor_sync(ALL_LANES, count, by);
    if (lane == 0) counts[point - begin] = count;
}

// Members of the balls of the points begin ≤ k < end, those of k from starts[k - begin] on, encoded as
// (k - begin) · n + member, and their distances.
extern "C" __global__ void fill_balls(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *where, Index begin, Index end, double limit, const Index *order, Index n, const Index *starts, Index *members, double *distances) {
    Geometry geometry{metric, (REAL)lam};
    Index point = begin + thread_number() / 32;
    if (point >= end) return;
    int lane = threadIdx.x % 32, i = (int)where[point];
    const Index *here = runs + 2 * n_runs * cell[i];
    Index at = starts[point - begin];
    for (int r = 0; r < n_runs; r++)
        for (int low = (int)here[2 * r]; low < here[2 * r + 1]; low += 32) {
            int j = low + lane;
            double apart = 0;
            bool is = j < here[2 * r + 1] && is_near(geometry, i, j, limit, apart);
            unsigned all = __ballot_sync(ALL_LANES, is);
            if (is) {
                Index to = at + __popc(all & ((1u << lane) - 1));
                members[to] = (point - begin) * n + order[j];
                distances[to] = sqrt(apart);
            }
            at += __popc(all);
        }
}
