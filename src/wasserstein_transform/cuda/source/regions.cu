// Sums over regions of an image.
#include "common.h"

// One block for each region, whose pixels are `order` from its start on: sums of columns from `first` on. Threads take
// pixels in turn and are added in a fixed order, so that the bits are reproducible.
extern "C" __global__ void sum_regions(const double *values, Index columns, Index first, const Index *order, const Index *starts, Index n_regions, double *sums) {
    __shared__ double of_warps[32];
    Index region = blockIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
    for (Index column = first; column < columns; column++) {
        double total = 0.0;
        for (Index k = starts[region] + threadIdx.x; k < starts[region + 1]; k += blockDim.x)
            total += values[order[k] * columns + column];
        for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(0xffffffff, total, step);
        if (lane == 0) of_warps[warp] = total;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < n_warps; w++) total += of_warps[w];
            sums[region * (columns - first) + column - first] = total;
        }
        __syncthreads();
    }
}
