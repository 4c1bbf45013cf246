// Smallest and largest coordinates, block by block.
#include "blocks.h"

// out[block] = the smallest coordinates of some points, then their largest ones.
extern "C" __global__ void find_bounds(const double *values, Index n, Index m, double *out) {
    for (Index a = 0; a < m; a++) {
        double low = values[a], high = low;
        for (Index i = thread_number(); i < n; i += (Index)gridDim.x * blockDim.x) {
            double value = values[i * m + a];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        low = -block_max(-low);
        high = block_max(high);
        if (threadIdx.x == 0) {
            out[(2 * (Index)blockIdx.x) * m + a] = low;
            out[(2 * (Index)blockIdx.x + 1) * m + a] = high;
        }
    }
}

