// Moments for many COLUMNS: a block of SIZE threads per point, each with some of the sums. Candidates are weighted in
// parallel; those in the ball are listed, and added some at a time. `see(k, j)` is the weight of candidate k at
// position j.
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

// List those of SIZE candidates whose weight is not 0, in order; returns their number.
__device__ __forceinline__ int list_members(int j, double mass) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0, all = 0;
    unsigned is = __ballot_sync(ALL_LANES, mass != 0);
    if (lane == 0) counts[warp] = __popc(is);
    __syncthreads();
    for (int w = 0; w < SIZE / 32; w++) {
        if (w < warp) before += counts[w];
        all += counts[w];
    }
    if (mass != 0) {
        int at = before + __popc(is & ((1u << lane) - 1));
        members[at] = j;
        masses[at] = mass;
    }
    __syncthreads();
    return all;
}

// Index of the sum of products of columns a ≤ b; first moments are those with the last column.
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

// Moments of position i over the candidates of some runs, stored as those of point `to`.
template <bool SECOND, typename See>
__device__ __forceinline__ void add_moments(const See &see, const Index *runs, Index n_runs, int i, Index to, const double *points, double *mass, double *means, double *covs) {
    const int n_sums = SECOND ? WIDTH * (WIDTH + 1) / 2 : WIDTH, n_own = (n_sums + SIZE - 1) / SIZE;
    int left[n_own], right[n_own];
    double own[n_own] = {};
    const double *x = points + (Index)i * COLUMNS;
    for (int k = 0; k < n_own; k++) {
        int at = min((int)threadIdx.x + k * SIZE, n_sums - 1), a = 0;
        while (a < COLUMNS && place_of<SECOND>(a + 1, a + 1) <= at) a++;
        left[k] = a;
        right[k] = SECOND ? at - place_of<SECOND>(a, a) + a : COLUMNS;
    }
    for (int r = 0; r < n_runs; r++) {
        Index high = runs[2 * r + 1];
        for (Index start = runs[2 * r]; start < high; start += SIZE) {
            Index k = start + threadIdx.x;
            int j = 0;
            double seen = k < high ? see(k, j) : 0.0;
            int count = list_members(j, seen);
            for (int done = 0; done < count; done += TOGETHER) {
                int some = min(count - done, TOGETHER);
                for (int s = threadIdx.x; s < some * WIDTH; s += SIZE) {
                    int a = s % WIDTH;
                    steps[s] = a < COLUMNS ? points[(Index)members[done + s / WIDTH] * COLUMNS + a] - x[a] : 1.0;
                }
                __syncthreads();
                for (int s = 0; s < some; s++)
#pragma unroll
                    for (int p = 0; p < n_own; p++)
                        own[p] += masses[done + s] * steps[s * WIDTH + left[p]] * steps[s * WIDTH + right[p]];
                __syncthreads();
            }
        }
    }
    for (int k = 0; k < n_own; k++)
        if ((int)threadIdx.x + k * SIZE < n_sums) sums[threadIdx.x + k * SIZE] = own[k];
    __syncthreads();
    double total = sums[n_sums - 1];
    if (threadIdx.x == 0) mass[to] = total;
    for (int a = threadIdx.x; a < COLUMNS; a += SIZE) {
        double drift = total != 0 ? sums[place_of<SECOND>(a, COLUMNS)] / total : 0;
        means[to * COLUMNS + a] = x[a] + drift;
    }
    if (SECOND) put_covariance(total, covs + to * COLUMNS * COLUMNS);
}
