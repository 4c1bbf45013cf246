// The k nearest points of each point: sorted lists in shared memory; in a tie the smaller index first.
#include "geometry.h"
#include "boxes.h"

// Insert a point into the list of a row, by a warp.
__device__ __forceinline__ void enter(double *near, Index *which, int k, double d, Index j) {
    for (int start = (k - 1) / 32 * 32; start >= 0; start -= 32) {
        int e = start + threadIdx.x % 32, b = e > 0 ? e - 1 : 0;
        bool after = e < k && comes_before(d, j, near[e], which[e]);
        double before = e < k ? near[b] : 0;
        Index who = e < k ? which[b] : 0;
        bool moves = e > 0 && after && comes_before(d, j, before, who);
        __syncwarp();
        if (after) near[e] = moves ? before : d, which[e] = moves ? who : j;
        __syncwarp();
        if (!__any_sync(ALL, moves && e == start)) return;
    }
}

// Insert the points of a tile into the lists of the rows of this warp; returns the largest distance in these lists.
__device__ __forceinline__ double offer(const double *tile, Index left, Index n, const Index *order, Index top, Index n_asked, const Index *names, bool itself, int k, double *near, Index *which) {
    int lane = threadIdx.x % 32, first = threadIdx.x / 32 * EACH;
    double most = 0;
    for (int r = first; r < first + EACH && top + r < n_asked; r++) {
        double *own = near + r * k;
        Index *who = which + r * k, self = itself ? names[top + r] : -1;
        for (int c = lane; c < SIDE; c += 32) {
            Index j = left + c < n ? order[left + c] : NOBODY;
            double d = tile[r * WIDE + c];
            bool better = left + c < n && j != self && comes_before(d, j, own[k - 1], who[k - 1]);
            for (unsigned mask = __ballot_sync(ALL, better); mask; mask &= mask - 1) {
                int from = __ffs(mask) - 1;
                double its = __shfl_sync(ALL, d, from);
                Index name = __shfl_sync(ALL, j, from);
                if (comes_before(its, name, own[k - 1], who[k - 1])) enter(own, who, k, its, name);
            }
        }
        most = max(most, own[k - 1]);
    }
    return most;
}

// The nearest of the points `rows`, with indices `order`, for a tile of the points `asked`, with indices `names`.
extern "C" __global__ void __launch_bounds__(THREADS, 2) search_nearest(const REAL *rows, double lam, Index n, const Index *order, const double *boxes, const REAL *asked, Index n_asked, const Index *names, const double *own, Index first, Index itself, Index k, double *distances, Index *indices) {
    SHARED(double, tile);
    __shared__ int found[THREADS];
    double *near = tile + SIDE * WIDE;
    Index *which = (Index *)(near + SIDE * k), number = first + blockIdx.x, top = number * SIDE;
    for (Index e = threadIdx.x; e < SIDE * k; e += THREADS) near[e] = infinite(), which[e] = NOBODY;
    __syncthreads();
    Search search{boxes, (n + SIDE - 1) / SIDE, number, {}, infinite()};
    for (int a = 0; a < 6; a++) search.own[a] = own[6 * number + a];
    if (!itself) search.start = nearest_tile(search);
    Sides sides{asked, n_asked, rows, n};
    for (Index step = 0; step < search.n_tiles; step += THREADS) {
        int n_found = list_tiles(search, step, nullptr, -1, found);
        for (int f = 0; f < n_found; f++) {
            if (out_of_reach(search, found[f])) continue;
            Index left = (Index)found[f] * SIDE;
            fill_tile(sides, (REAL)lam, top, left, true, tile);
            search.reach = most_of_warps(offer(tile, left, n, order, top, n_asked, names, itself != 0, (int)k, near, which));
        }
    }
    for (Index e = threadIdx.x; e < SIDE * k; e += THREADS)
        if (top + e / k < n_asked) {
            Index at = names[top + e / k] * k + e % k;
            distances[at] = near[e], indices[at] = which[e];
        }
}
