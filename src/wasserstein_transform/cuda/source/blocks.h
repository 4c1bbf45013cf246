// Reductions over the threads of a block.
#include "common.h"
#define ALL_LANES 0xffffffffu

// The largest value of all threads of a block, in its first thread; at most 1024 threads, whole warps.
__device__ __forceinline__ double block_max(double value) {
    __shared__ double of_warp[32];
    for (int by = 16; by > 0; by /= 2) value = fmax(value, __shfl_xor_sync(ALL_LANES, value, by));
    int lane = threadIdx.x % 32, n_warps = blockDim.x / 32;
    if (lane == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[lane < n_warps ? lane : 0];
    for (int by = 16; by > 0; by /= 2) value = fmax(value, __shfl_xor_sync(ALL_LANES, value, by));
    __syncthreads();
    return value;
}
