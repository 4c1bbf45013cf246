// Sums over the neighborhood of a point, for few COLUMNS, relative to the point.
#include "common.h"

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

    // The sums over a team of threads, with the same result in each.
    __device__ __forceinline__ void gather(int team) {
#pragma unroll
        for (int k = 0; k < SIZE; k++)
            for (int by = team / 2; by > 0; by /= 2) values[k] += __shfl_xor_sync(0xffffffffu, values[k], by);
    }

    // Turn Σ mass · (y − x) into the mean; without mass, the point itself.
    __device__ __forceinline__ void settle(const double *x, double *mean) {
#pragma unroll
        for (int a = 0; a < COLUMNS; a++) mean[a] = values[0] != 0 ? x[a] + values[1 + a] / values[0] : x[a];
    }

    // Turn sums of squares and products about the point into a covariance; negative rounding errors are clipped.
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

    // Store the moments of point `to`.
    __device__ __forceinline__ void put(const double *x, Index to, double *mass, double *means, double *covs) {
        mass[to] = values[0];
        settle(x, means + to * COLUMNS);
        if (SECOND) center(covs + to * COLUMNS * COLUMNS);
    }
};
