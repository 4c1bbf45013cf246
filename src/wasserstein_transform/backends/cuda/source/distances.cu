// Distances in bulk.
#include "geometry.h"

// out[k] = distance of rows[k] and cols[k].
extern "C" __global__ void fill_pairs(const REAL *points, double lam, const Index *rows, const Index *cols, Index n, double *out) {
    Geometry geometry{points, (REAL)lam};
    Index k = thread_number();
    if (k < n) out[k] = rows[k] == cols[k] ? 0 : distance(geometry, rows[k], cols[k]);
}
