// The movement of points, block by block.
#include "blocks.h"
#include "geometry.h"

// out[block] = the largest squared distance between some points i and i + n, before and after.
extern "C" __global__ void find_movement(const REAL *metric, double lam, Index n, double *out) {
    Geometry geometry{metric, lam};
    double most = 0;
    for (Index i = thread_number(); i < n; i += (Index)gridDim.x * blockDim.x)
        most = fmax(most, (double)squared(geometry, i, i + n));
    most = block_max(most);
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
