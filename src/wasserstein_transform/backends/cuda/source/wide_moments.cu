// Moments of what points see, of many COLUMNS: a block of SIZE threads a point, each with some of the sums.
// Candidates are weighed side by side; those in the ball are listed, and added some at a time.
#include "blocks.h"
#include "weighing.h"
#define SIZE 128
#define TOGETHER 16
#define WIDTH (COLUMNS + 1)  // the last column is 1: its products are the first moments and the mass

__shared__ double steps[TOGETHER * WIDTH];
__shared__ double masses[SIZE];
__shared__ int members[SIZE];
__shared__ int counts[SIZE / 32];
__shared__ double sums[WIDTH * (WIDTH + 1) / 2];

// List those of SIZE candidates that are seen, in their order; returns how many there are.
__device__ __forceinline__ int list_members(int j, double mass) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0, all = 0;
    unsigned is = __ballot_sync(ALL_LANES, mass > 0);
    if (lane == 0) counts[warp] = __popc(is);
    __syncthreads();
    for (int w = 0; w < SIZE / 32; w++) {
        if (w < warp) before += counts[w];
        all += counts[w];
    }
    if (mass > 0) {
        int at = before + __popc(is & ((1u << lane) - 1));
        members[at] = j;
        masses[at] = mass;
    }
    __syncthreads();
    return all;
}

// Which sum is that of the products of columns a ≤ b; first moments alone are those with the last column.
template <bool SECOND>
__device__ __forceinline__ int place_of(int a, int b) {
    return SECOND ? a * WIDTH - a * (a - 1) / 2 + b - a : a;
}

__device__ __forceinline__ double covariance(int a, int b, double total) {
    double x = sums[place_of<true>(a, COLUMNS)] / total, y = sums[place_of<true>(b, COLUMNS)] / total;
    return sums[place_of<true>(a, b)] / total - x * y;
}

__device__ __forceinline__ void put_covariance(double total, double *cov) {
    for (int k = threadIdx.x; k < COLUMNS * COLUMNS; k += SIZE) {
        int a = min(k / COLUMNS, k % COLUMNS), b = max(k / COLUMNS, k % COLUMNS);
        double value = 0;
        if (total > 0) {
            double most = sqrt(fmax(covariance(a, a, total), 0.0)) * sqrt(fmax(covariance(b, b, total), 0.0));
            value = covariance(a, b, total);
            value = a == b ? fmax(value, 0.0) : fmin(fmax(value, -most), most);
        }
        cov[k] = value;
    }
}

template <bool SECOND>
__device__ __forceinline__ void add_moments(const Geometry &geometry, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, const Index *order, Index first, const double *weights, const double *points, double limit, int profile, double scale, double *mass, double *means, double *covs) {
    const int n_sums = SECOND ? WIDTH * (WIDTH + 1) / 2 : WIDTH, n_own = (n_sums + SIZE - 1) / SIZE;
    int i = (int)rows[begin + blockIdx.x], left[n_own], right[n_own];
    double own[n_own] = {};
    const double *x = points + (Index)i * COLUMNS;
    for (int k = 0; k < n_own; k++) {
        int at = min((int)threadIdx.x + k * SIZE, n_sums - 1), a = 0;
        while (a < COLUMNS && place_of<SECOND>(a + 1, a + 1) <= at) a++;
        left[k] = a;
        right[k] = SECOND ? at - place_of<SECOND>(a, a) + a : COLUMNS;
    }
    for (int r = 0; r < n_runs; r++) {
        const Index *run = runs + 2 * (n_runs * cell[i] + r);
        for (int start = (int)run[0], high = (int)run[1]; start < high; start += SIZE) {
            int j = start + threadIdx.x;
            double see = 0;
            if (j < high) see = profile == FLAT ? seen<true>(geometry, weights, i, j, limit, profile, scale) : seen<false>(geometry, weights, i, j, limit, profile, scale);
            int count = list_members(j, see);
            for (int done = 0; done < count; done += TOGETHER) {
                int some = min(count - done, TOGETHER);
                for (int k = threadIdx.x; k < some * WIDTH; k += SIZE) {
                    int a = k % WIDTH;
                    steps[k] = a < COLUMNS ? points[(Index)members[done + k / WIDTH] * COLUMNS + a] - x[a] : 1.0;
                }
                __syncthreads();
                for (int s = 0; s < some; s++)
#pragma unroll
                    for (int k = 0; k < n_own; k++)
                        own[k] += masses[done + s] * steps[s * WIDTH + left[k]] * steps[s * WIDTH + right[k]];
                __syncthreads();
            }
        }
    }
    for (int k = 0; k < n_own; k++)
        if ((int)threadIdx.x + k * SIZE < n_sums) sums[threadIdx.x + k * SIZE] = own[k];
    __syncthreads();
    Index to = order[i] - first;
    double total = sums[n_sums - 1];
    if (threadIdx.x == 0) mass[to] = total;
    for (int a = threadIdx.x; a < COLUMNS; a += SIZE) means[to * COLUMNS + a] = total > 0 ? x[a] + sums[place_of<SECOND>(a, COLUMNS)] / total : x[a];
    if (SECOND) put_covariance(total, covs + to * COLUMNS * COLUMNS);
}

// Mass and means of the positions rows[begin] to rows[end - 1], put where their points are, counted from `first`.
extern "C" __global__ void __launch_bounds__(SIZE) first_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<false>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void __launch_bounds__(SIZE) second_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    add_moments<true>({metric, (REAL)lam}, cell, runs, n_runs, rows, begin, order, first, weights, points, limit, (int)profile, scale, mass, means, covs);
}
