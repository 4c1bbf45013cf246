// Borůvka's algorithm: each component joins the nearest point outside. Edges are compared by their key, then by their
// length, then by the indices of their ends, so that no cycles arise. The key is the distance; with REACH it is
// max(d(x, y), core(x), core(y)), rounded to a billionth.
#include "geometry.h"
#include "boxes.h"

typedef unsigned long long Bits;  // floats ≥ 0 have the same order as their bits

__device__ __forceinline__ double key_of(double d, double core, double other) {
#if REACH
    double value = max(d, max(core, other)), spread = times(value, 8388609.0);  // 2²³ + 1 leaves 30 bits of 53
    return spread - (spread - value);
#else
    return d;
#endif
}

__device__ __forceinline__ bool edge_before(double key, double d, Index j, double other_key, double other, Index i) {
    return key < other_key || (key == other_key && comes_before(d, j, other, i));
}

struct Best {  // the best known edges of the searching points
    double key[SIDE], length[SIDE];
    Index who[SIDE];
};

struct Around {  // data of all points, in their order, and of components
    const Index *order, *component;
    const double *cores;
    volatile Bits *limits;
};

__device__ __forceinline__ double limit_of(const Around &around, Index label) {
    return __longlong_as_double((long long)around.limits[label]);
}

// The best edge of a row to a tile, by a warp.
__device__ __forceinline__ void offer_row(const double *tile, Index left, Index n, const Around &around, Index label, double core, double bound, int r, Best &best) {
    int lane = threadIdx.x % 32;
    double key = infinite(), length = infinite();
    Index who = NOBODY;
    for (int c = lane; c < SIDE; c += 32) {
        Index p = left + c;
        if (p >= n || around.component[p] == label) continue;
        double d = tile[r * WIDE + c], its = key_of(d, core, REACH ? around.cores[p] : 0);
        if (its <= bound && edge_before(its, d, around.order[p], key, length, who)) key = its, length = d, who = around.order[p];
    }
    if (!__any_sync(ALL, edge_before(key, length, who, best.key[r], best.length[r], best.who[r]))) return;
    for (int by = 16; by > 0; by /= 2) {
        double its = __shfl_xor_sync(ALL, key, by), d = __shfl_xor_sync(ALL, length, by);
        Index j = __shfl_xor_sync(ALL, who, by);
        if (edge_before(its, d, j, key, length, who)) key = its, length = d, who = j;
    }
    __syncwarp();
    if (lane == 0) {
        best.key[r] = key, best.length[r] = length, best.who[r] = who;
        atomicMin((Bits *)around.limits + label, (Bits)__double_as_longlong(key));
    }
    __syncwarp();
}

// For the positions `asking`, whose rows are `asked`: the best edge to another component; if it certainly exceeds the
// best one of the component, −1 and a lower bound. `whole` is the component of a tile, −1 if there are several.
extern "C" __global__ void __launch_bounds__(THREADS, 2) search_outside(const REAL *rows, double lam, Index n, const Index *order, const double *boxes, const double *cores, const Index *component, const Index *whole, Bits *limits, const REAL *asked, Index n_asked, const Index *asking, const double *own, Index first, double *keys, double *lengths, Index *which) {
    __shared__ double tile[SIDE * WIDE];
    __shared__ int found[THREADS];
    __shared__ Best best;
    Index number = first + blockIdx.x, top = number * SIDE, common = component[asking[top]];
    if (threadIdx.x < SIDE) best.key[threadIdx.x] = best.length[threadIdx.x] = infinite(), best.who[threadIdx.x] = NOBODY;
    for (Index p = top; p < min(top + SIDE, n_asked); p++) common = component[asking[p]] == common ? common : -1;
    __syncthreads();
    Around around{order, component, cores, limits};
    Search search{boxes, (n + SIDE - 1) / SIDE, asking[min(top + SIDE / 2, n_asked - 1)] / SIDE, {}, infinite()};
    for (int a = 0; a < 6; a++) search.own[a] = own[6 * number + a];
    int row = threadIdx.x / 32 * EACH;
    for (Index step = 0; step < search.n_tiles; step += THREADS) {
        int n_found = list_tiles(search, step, whole, common, found);
        for (int f = 0; f < n_found; f++) {
            if (out_of_reach(search, found[f])) continue;
            Index left = (Index)found[f] * SIDE;
            fill_tile(Sides{asked, n_asked, rows, n}, (REAL)lam, top, left, true, tile);
            double most = 0;
            for (int r = row; r < row + EACH && top + r < n_asked; r++) {
                Index p = asking[top + r], label = component[p];
                double bound = __shfl_sync(ALL, min(best.key[r], limit_of(around, label)), 0);
                offer_row(tile, left, n, around, label, REACH ? cores[p] : 0, bound, r, best);
                most = max(most, min(best.key[r], bound));
            }
            search.reach = most_of_warps(most);
        }
    }
    __syncthreads();
    if (threadIdx.x >= SIDE || top + threadIdx.x >= n_asked) return;
    int r = threadIdx.x;
    Index p = asking[top + r];
    double limit = limit_of(around, component[p]);
    bool known = best.who[r] != NOBODY && best.key[r] <= limit;
    keys[p] = known ? best.key[r] : limit, lengths[p] = best.length[r], which[p] = known ? best.who[r] : -1;
}

// Drop edges that are within a component now; find the smallest key of each component among the others.
extern "C" __global__ void forget_inside(const Index *component, const Index *where, Index n, const double *keys, Index *which, Bits *limits) {
    Index p = thread_number();
    if (p >= n || which[p] < 0) return;
    if (component[where[which[p]]] == component[p])
        which[p] = -1;
    else
        atomicMin(limits + component[p], (Bits)__double_as_longlong(keys[p]));
}

// The shortest edge of each component: stage 0 finds its key, 1 its length, 2 its ends.
extern "C" __global__ void choose_edges(const Index *component, const Index *order, Index n, const double *keys, const double *lengths, const Index *which, Index stage, Bits *key, Bits *length, Bits *ends) {
    Index p = thread_number();
    if (p >= n || which[p] < 0) return;
    Index label = component[p], i = min(order[p], which[p]), j = max(order[p], which[p]);
    Bits its_key = (Bits)__double_as_longlong(keys[p]), its_length = (Bits)__double_as_longlong(lengths[p]);
    if (stage == 0) atomicMin(key + label, its_key);
    if (stage == 1 && key[label] == its_key) atomicMin(length + label, its_length);
    if (stage == 2 && key[label] == its_key && length[label] == its_length) atomicMin(ends + label, (Bits)i << 32 | (Bits)j);
}
