// Points sorted into cells: keys and starts of cells, and the runs of candidate positions.
// Keys are of the type KEY.
#include "common.h"

__device__ __forceinline__ Index cell_along(const double *place, Index axis, double origin, double side, double base) {
    return (Index)(floor((place[axis] - origin) / side) - base);
}

// keys[i] = number of the cell of point i; axes that are not cut have stride 0.
extern "C" __global__ void find_keys(const double *places, Index n, Index m, double side, Index margin, Index axis_x, double origin_x, double base_x, Index stride_x, Index axis_y, double origin_y, double base_y, Index stride_y, Index axis_z, double origin_z, double base_z, Index stride_z, KEY *keys) {
    Index i = thread_number();
    if (i >= n) return;
    const double *place = places + i * m;
    Index key = (cell_along(place, axis_x, origin_x, side, base_x) + margin) * stride_x;
    if (stride_y) key += (cell_along(place, axis_y, origin_y, side, base_y) + margin) * stride_y;
    if (stride_z) key += (cell_along(place, axis_z, origin_z, side, base_z) + margin) * stride_z;
    keys[i] = (KEY)key;
}

__device__ __forceinline__ bool begins_cell(const KEY *keys, const Index *order, Index at) {
    return at == 0 || keys[order[at]] != keys[order[at - 1]];
}

// begins[k] = 1 where position k is the first of its cell, else 0.
extern "C" __global__ void mark_cells(const KEY *keys, const Index *order, Index n, Index *begins) {
    Index at = thread_number();
    if (at < n) begins[at] = begins_cell(keys, order, at);
}

// The start and the key of each cell; on entry, `cell` is the number of cells up to each position.
extern "C" __global__ void fill_cells(const KEY *keys, const Index *order, Index n, Index *cell, Index *starts, Index *cell_keys) {
    Index at = thread_number();
    if (at >= n) return;
    Index here = --cell[at];
    if (begins_cell(keys, order, at)) {
        starts[here] = at;
        cell_keys[here] = keys[order[at]];
    }
    if (at == n - 1) starts[here + 1] = n;
}

__device__ __forceinline__ Index first_not_below(const Index *keys, Index n, Index key) {
    Index low = 0, high = n;
    while (low < high) {
        Index middle = (low + high) / 2;
        if (keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

__device__ __forceinline__ Index beyond_next(Index cells) {
    Index empty = (cells < 0 ? -cells : cells) - 1;
    return empty > 0 ? empty * empty : 0;
}

// runs[c, r] = positions of the cells of row r that a ball around a point of cell c can touch, `reach` cells wide.
// Rows are numbered along the slow axes, with strides `stride` and `stride_slow`; the last axis is that of runs.
extern "C" __global__ void find_runs(const Index *cell_keys, const Index *starts, Index n_cells, Index reach, Index n_rows, Index stride, Index stride_slow, Index *runs) {
    Index t = thread_number();
    if (t >= n_cells * n_rows) return;
    Index row = t % n_rows, side = 2 * reach + 1;
    Index off = n_rows == 1 ? 0 : row % side - reach, off_slow = n_rows <= side ? 0 : row / side - reach;
    Index left = reach * reach - beyond_next(off) - beyond_next(off_slow);
    Index low = 0, high = 0;
    if (left >= 0) {
        Index width = min((Index)sqrt((double)left) + 1, reach);
        Index key = cell_keys[t / n_rows] + off * stride + off_slow * stride_slow;
        low = starts[first_not_below(cell_keys, n_cells, key - width)];
        high = starts[first_not_below(cell_keys, n_cells, key + width + 1)];
    }
    runs[2 * t] = low;
    runs[2 * t + 1] = high;
}
