// Regions of moved pixels: adjacent pixels with near modes are linked. The root of a region is its first pixel, in
// whatever order links are made.
#include "common.h"

struct Rule {
    const double *modes;  // n × columns: positions, one for each axis of the grid, then values
    int columns, axes;
    const bool *mask;
    bool masked;
    double spatial, range;  // squares
};

__device__ __forceinline__ bool are_linked(const Rule &rule, Index i, Index j) {
    if (rule.masked && !(rule.mask[i] && rule.mask[j])) return false;
    const double *a = rule.modes + i * rule.columns, *b = rule.modes + j * rule.columns;
    double place = 0.0, value = 0.0;
    for (int k = 0; k < rule.axes; k++) place += (a[k] - b[k]) * (a[k] - b[k]);
    for (int k = rule.axes; k < rule.columns; k++) value += (a[k] - b[k]) * (a[k] - b[k]);
    return place <= rule.spatial && value <= rule.range;
}

// The root of i. Roots only become children of earlier pixels, so concurrent changes are harmless.
__device__ Index root_of(volatile int *parent, Index i) {
    Index above = parent[i];
    while (above != i) {
        Index next = parent[above];
        if (next != above) parent[i] = (int)next;
        i = above, above = next;
    }
    return i;
}

__device__ void unite(int *parent, Index i, Index j) {
    Index a = root_of(parent, i), b = root_of(parent, j);
    while (a != b) {
        if (a < b) {
            Index earlier = a;
            a = b, b = earlier;
        }
        Index found = atomicCAS(parent + a, (int)a, (int)b);
        if (found == a) return;
        a = root_of(parent, found), b = root_of(parent, b);  // a had become a child meanwhile
    }
}

// Links along rows, one warp per row: the parent of each pixel is the first one of its run; `joined` tells whether it is
// linked to the previous pixel.
extern "C" __global__ void link_rows(const double *modes, Index columns, Index axes, const bool *mask, Index masked, Index n_rows, Index width, double spatial, double range, int *parent, bool *joined) {
    Rule rule{modes, (int)columns, (int)axes, mask, masked != 0, spatial, range};
    Index row = thread_number() / 32;
    int lane = threadIdx.x % 32;
    if (row >= n_rows) return;
    Index carried = row * width;
    for (Index from = 0; from < width; from += 32) {
        Index x = from + lane, i = row * width + x;
        bool linked = x > 0 && x < width && are_linked(rule, i - 1, i);
        unsigned breaks = ~__ballot_sync(0xffffffff, linked), upto = breaks & (0xffffffffu >> (31 - lane));
        Index begin = upto ? row * width + from + (31 - __clz((int)upto)) : carried;
        if (x < width) parent[i] = (int)begin, joined[i] = linked;
        carried = __shfl_sync(0xffffffff, begin, 31);
    }
}

// Links to the pixel `stride` later, along an axis with `extent` steps; skipped if the two previous pixels are linked too.
extern "C" __global__ void link_across(const double *modes, Index columns, Index axes, const bool *mask, Index masked, Index n, Index stride, Index extent, double spatial, double range, const bool *joined, int *parent) {
    Rule rule{modes, (int)columns, (int)axes, mask, masked != 0, spatial, range};
    Index i = thread_number(), j = i + stride;
    if (i >= n || i / stride % extent == extent - 1 || !are_linked(rule, i, j)) return;
    if (joined[i] && joined[j] && are_linked(rule, i - 1, j - 1)) return;
    unite(parent, i, j);
}

// Only roots are written here: path compression, as above, might overwrite a root that another thread has found.
extern "C" __global__ void find_roots(Index n, volatile int *parent) {
    Index i = thread_number();
    if (i >= n) return;
    Index root = i;
    while (parent[root] != root) root = parent[root];
    parent[i] = (int)root;
}
