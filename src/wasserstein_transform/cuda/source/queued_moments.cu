// Moments over neighborhoods, for few COLUMNS and expensive distances: one warp per point. Candidates that cheap bounds
// do not exclude are queued until there is one for each lane.
#include "blocks.h"
#include "sums.h"
#include "weighing.h"
#define SIZE 128

__device__ __forceinline__ bool may_be_near(const Geometry &geometry, Index i, Index j, double limit) {
    const REAL *p = geometry.rows + i * K, *q = geometry.rows + j * K;
    REAL total = apart(p, q);
    return total <= limit && fma(geometry.lam, least_gap(p + M, q + M), total) <= limit * (1 + SLACK);
}

template <bool SECOND>
__device__ __forceinline__ void add_moments(const Geometry &geometry, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, int profile, double scale, double *mass, double *means, double *covs) {
    __shared__ int queues[SIZE / 32][64];
    Index row = begin + thread_number() / 32;
    if (row >= end) return;
    int i = (int)rows[row], lane = threadIdx.x % 32, waiting = 0, *queue = queues[threadIdx.x / 32];
    const double *x = points + (Index)i * COLUMNS;
    Sums<SECOND> sums;
    auto look_at = [&](int j) {
        double mass = profile == FLAT ? seen<true>(geometry, weights, i, j, limit, profile, scale) : seen<false>(geometry, weights, i, j, limit, profile, scale);
        sums.add(x, points + (Index)j * COLUMNS, mass);
    };
    runs += 2 * n_runs * cell[i];
    for (int r = 0; r < n_runs; r++) {
        int high = (int)runs[2 * r + 1];
        for (int low = (int)runs[2 * r]; low < high; low += 32) {
            int j = low + lane;
            bool waits = j < high && may_be_near(geometry, i, j, limit);
            unsigned all = __ballot_sync(ALL_LANES, waits);
            if (waits) queue[waiting + __popc(all & ((1u << lane) - 1))] = j;
            waiting += __popc(all);
            if (waiting < 32) continue;
            __syncwarp();
            look_at(queue[lane]);
            int next = queue[lane + 32];
            __syncwarp();
            queue[lane] = next;
            waiting -= 32;
        }
    }
    __syncwarp();
    if (lane < waiting) look_at(queue[lane]);
    sums.gather(32);
    if (lane == 0) sums.put(x, order[i] - first, mass, means, covs);
}

// Mass and means of the positions rows[begin] to rows[end - 1], stored by point, counted from `first`.
extern "C" __global__ void __launch_bounds__(SIZE) first_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<false>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void __launch_bounds__(SIZE) second_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<true>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}
