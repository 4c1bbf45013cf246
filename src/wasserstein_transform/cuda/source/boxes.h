// Searches among points sorted into tiles of SIDE near points: tiles whose box is too far are skipped.
// A box has the smallest and the largest coordinates along three axes. A block of threads searches for the points of one
// tile, from the tile `start` outward.
#include "tiles.h"

#define NOBODY 0x7fffffffffffffffLL  // no point: farther than any point at the same distance
#define ALL 0xffffffff

struct Search {
    const double *boxes;  // n_tiles × 6
    Index n_tiles, start;
    double own[6];
    double reach;  // farther points are not needed
};

__device__ __forceinline__ bool comes_before(double d, Index j, double other, Index i) {
    return d < other || (d == other && j < i);
}

// The squared distance of two boxes.
__device__ __forceinline__ double between_boxes(const double *box, const double *own) {
    double total = 0;
    for (int a = 0; a < 3; a++) {
        double gap = max(max(box[a] - own[3 + a], own[a] - box[3 + a]), 0.0);
        total = fma(gap, gap, total);
    }
    return total;
}

// Whether a tile can be skipped.
__device__ __forceinline__ bool out_of_reach(const Search &search, Index tile) {
    return between_boxes(search.boxes + 6 * tile, search.own) > search.reach * search.reach * (1 + 4e-9);
}

// The tile at this step outward: start, start + 1, start − 1, …, cyclically.
__device__ __forceinline__ Index tile_of_step(const Search &search, Index step) {
    Index tile = search.start + (step % 2 ? (step + 1) / 2 : -(step / 2));
    return tile < 0 ? tile + search.n_tiles : tile >= search.n_tiles ? tile - search.n_tiles : tile;
}

// Put those of the THREADS tiles from this step on that are within reach into `found`, in order; returns their number.
__device__ __forceinline__ int list_tiles(const Search &search, Index step, const Index *whole, Index own, int *found) {
    __shared__ int counts[THREADS / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, before = 0, total = 0;
    Index tile = step + threadIdx.x < search.n_tiles ? tile_of_step(search, step + threadIdx.x) : -1;
    bool good = tile >= 0 && !(whole && own >= 0 && whole[tile] == own);
    good = good && !out_of_reach(search, tile);
    unsigned mask = __ballot_sync(ALL, good);
    __syncthreads();
    if (lane == 0) counts[warp] = __popc(mask);
    __syncthreads();
    for (int w = 0; w < THREADS / 32; w++) before += w < warp ? counts[w] : 0, total += counts[w];
    if (good) found[before + __popc(mask & ((1u << lane) - 1))] = (int)tile;
    __syncthreads();
    return total;
}

// The largest of one number for each warp.
__device__ __forceinline__ double most_of_warps(double value) {
    __shared__ double each[THREADS / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) each[threadIdx.x / 32] = value;
    __syncthreads();
    double most = each[0];
    for (int w = 1; w < THREADS / 32; w++) most = max(most, each[w]);
    return most;
}

// The tile whose box is nearest.
__device__ __forceinline__ Index nearest_tile(const Search &search) {
    __shared__ double each[THREADS];
    __shared__ Index tiles[THREADS];
    double least = infinite();
    Index best = 0;
    for (Index tile = threadIdx.x; tile < search.n_tiles; tile += THREADS) {
        double gap = between_boxes(search.boxes + 6 * tile, search.own);
        if (gap < least) least = gap, best = tile;
    }
    each[threadIdx.x] = least, tiles[threadIdx.x] = best;
    __syncthreads();
    for (int t = 0; t < THREADS; t++)
        if (comes_before(each[t], tiles[t], least, best)) least = each[t], best = tiles[t];
    return best;
}
