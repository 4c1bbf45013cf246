// Moments of what points see, of few COLUMNS: TEAM threads a point, each with sums of its own, added up in a fixed order.
// Points are named by position; sums are relative to the point.
#include "weighing.h"
#define TEAM 4

template <bool SECOND>
struct Sums {
    static const int SIZE = 1 + COLUMNS + (SECOND ? COLUMNS * (COLUMNS + 1) / 2 : 0);
    double values[SIZE] = {};  // mass; Σ mass · (y − x); the upper triangle of Σ mass · (y − x)(y − x)ᵀ, row by row

    __device__ __forceinline__ void add(const double *x, const double *y, double mass) {
        double step[COLUMNS];
        int at = 1 + COLUMNS;
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) step[a] = y[a] - x[a];
        values[0] += mass;
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) {
            double weighed = mass * step[a];
            values[1 + a] += weighed;
            if (SECOND) {
#pragma unroll
                for (int b = a; b < COLUMNS; b++) values[at++] += weighed * step[b];
            }
        }
    }

    // Those of the whole team, in each of its threads.
    __device__ __forceinline__ void gather() {
#pragma unroll
        for (int k = 0; k < SIZE; k++)
#pragma unroll
            for (int by = TEAM / 2; by > 0; by /= 2) values[k] += __shfl_xor_sync(0xffffffffu, values[k], by);
    }

    // Σ mass · (y − x) becomes the mean; without mass that is the point itself.
    __device__ __forceinline__ void settle(const double *x, double *mean) {
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) mean[a] = values[0] > 0 ? x[a] + values[1 + a] / values[0] : x[a];
    }

    // Sums of squares and products around the point become a covariance; what rounding adds to one is clipped.
    __device__ __forceinline__ void center(double *cov) {
        double total = values[0] > 0 ? values[0] : 1, drift[COLUMNS], root[COLUMNS];
        int at = 1 + COLUMNS;
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) {
            drift[a] = values[1 + a] / total;
            double square = fmax(values[at] / total - drift[a] * drift[a], 0.0);
            cov[a * COLUMNS + a] = square;
            root[a] = sqrt(square);
            at += COLUMNS - a;
        }
        at = 1 + COLUMNS;
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) {
            at++;
#pragma unroll
            for (int b = a + 1; b < COLUMNS; b++) {
                double most = root[a] * root[b], value = values[at++] / total - drift[a] * drift[b];
                value = fmin(fmax(value, -most), most);
                cov[a * COLUMNS + b] = value;
                cov[b * COLUMNS + a] = value;
            }
        }
    }
};

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
    sums.gather();
    if (row >= end || threadIdx.x % TEAM != 0) return;
    Index to = order[i] - first;
    mass[to] = sums.values[0];
    sums.settle(x, means + to * COLUMNS);
    if (SECOND) sums.center(covs + to * COLUMNS * COLUMNS);
}

// Mass and means of the positions rows[begin] to rows[end - 1], put where their points are, counted from `first`.
extern "C" __global__ void first_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<false>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void second_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<true>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, end, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}
