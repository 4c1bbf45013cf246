// Moments over neighborhoods, for few COLUMNS: TEAM threads per point, each with its own sums, added in a fixed order.
// Points are given by position.
#include "sums.h"
#include "weighing.h"
#define TEAM 4

template <bool IS_FLAT, bool SECOND>
__device__ __forceinline__ void look_around(const Geometry &geometry, const Index *runs, Index n_runs, int i, const double *weights, const double *points, const double *x, double limit, int profile, double scale, Sums<SECOND> &sums) {
    for (int r = 0; r < n_runs; r++) {
        int high = (int)runs[2 * r + 1];
        for (int j = (int)runs[2 * r] + threadIdx.x % TEAM; j < high; j += TEAM)
            sums.add(x, points + (Index)j * COLUMNS, seen<IS_FLAT>(geometry, weights, i, j, limit, profile, scale));
    }
}

template <bool SECOND>
__device__ __forceinline__ void add_moments(const Geometry &geometry, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, int profile, double scale, double *mass, double *means, double *covs) {
    Index row = begin + thread_number() / TEAM;
    int i = 0;
    double x[COLUMNS] = {};
    Sums<SECOND> sums;
    if (row < end) {
        i = (int)rows[row];
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) x[a] = points[(Index)i * COLUMNS + a];
        runs += 2 * n_runs * cell[i];
        if (profile == FLAT) look_around<true>(geometry, runs, n_runs, i, weights, points, x, limit, profile, scale, sums);
        else look_around<false>(geometry, runs, n_runs, i, weights, points, x, limit, profile, scale, sums);
    }
    sums.gather(TEAM);
    if (row >= end || threadIdx.x % TEAM != 0) return;
    sums.put(x, order[i] - first, mass, means, covs);
}

// Mass and means of the positions rows[begin] to rows[end - 1], stored by point, counted from `first`.
extern "C" __global__ void first_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<false>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void second_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<true>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}
