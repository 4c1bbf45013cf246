// Distances of points i and j, as the file is compiled for: METRIC is CLOUD, M the number of coordinates.
#include "common.h"
#define CLOUD 0

struct Geometry {
    const REAL *places;  // n × M
};

__device__ __forceinline__ REAL squared(const Geometry &geometry, Index i, Index j) {
    const REAL *x = geometry.places + i * M, *y = geometry.places + j * M;
    REAL total = 0;
    for (int a = 0; a < M; a++) {
        REAL step = x[a] - y[a];
        total += step * step;
    }
    return total;
}

__device__ __forceinline__ REAL distance(const Geometry &geometry, Index i, Index j) {
    return sqrt(squared(geometry, i, j));
}
