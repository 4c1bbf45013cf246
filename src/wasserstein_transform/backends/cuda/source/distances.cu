// Distances in bulk.
#include "geometry.h"

// out[k] = distance of rows[k] and cols[k].
extern "C" __global__ void fill_pairs(const REAL *places, const Index *rows, const Index *cols, Index n, double *out) {
    Geometry geometry{places};
    Index k = thread_number();
    if (k < n) out[k] = distance(geometry, rows[k], cols[k]);
}
