// Many distances. STORED is the type in which they are stored: double or float.
#include "geometry.h"
#include "numbering.h"
#include "tiles.h"
#ifndef STORED
#define STORED double
#endif

// out[k] = distance of rows[k] and cols[k].
extern "C" __global__ void fill_pairs(const REAL *points, double lam, const Index *rows, const Index *cols, Index n, STORED *out) {
    Geometry geometry{points, (REAL)lam};
    Index k = thread_number();
    if (k < n) out[k] = (STORED)distance(geometry, rows[k], cols[k]);
}

// The condensed vector from its entry `first` on.
extern "C" __global__ void fill_condensed(const REAL *points, double lam, Index n, Index first, Index count, STORED *out) {
    Geometry geometry{points, (REAL)lam};
    Index k = thread_number(), i, j;
    if (k >= count) return;
    pair_of_number(first + k, n, i, j);
    out[k] = (STORED)distance(geometry, i, j);
}

// Tiles of the rectangle of distances of `rows` to `cols`, from tile `first` on.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) fill_rectangle(const REAL *rows, double lam, Index n_rows, const REAL *cols, Index n_cols, Index first, STORED *out) {
    __shared__ REAL tile[SIDE * WIDE];
    Index across = (n_cols + SIDE - 1) / SIDE, number = first + blockIdx.x;
    Index top = number / across * SIDE, left = number % across * SIDE;
    fill_tile(Sides{rows, n_rows, cols, n_cols}, (REAL)lam, top, left, true, tile);
    for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS) {
        Index i = top + e / SIDE, j = left + e % SIDE;
        if (i < n_rows && j < n_cols) out[i * n_cols + j] = (STORED)tile[e / SIDE * WIDE + e % SIDE];
    }
}

// Tiles of the full matrix from tile `first` on, each with its transpose.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) fill_square(const REAL *points, double lam, Index n, Index first, STORED *out) {
    __shared__ REAL tile[SIDE * WIDE];
    Index row, col;
    tile_of_number(first + blockIdx.x, row, col);
    Index top = row * SIDE, left = col * SIDE;
    fill_tile(Sides{points, n, points, n}, (REAL)lam, top, left, true, tile);
    for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS) {
        Index i = top + e / SIDE, j = left + e % SIDE;
        if (i < n && j < n) out[i * n + j] = (STORED)tile[e / SIDE * WIDE + e % SIDE];
    }
    if (top == left) return;
    for (int e = threadIdx.x; e < SIDE * SIDE; e += THREADS) {
        Index i = left + e / SIDE, j = top + e % SIDE;
        if (i < n) out[i * n + j] = (STORED)tile[e % SIDE * WIDE + e / SIDE];
    }
}
