// A team of TEAM threads, a warp or a block, that solves one problem of at most SIDE points per side.
#include "common.h"
#define PER (SIDE / TEAM)  // sources and sinks per thread
#define WORDS (SIDE / 32)  // 64-bit words, with one bit for every arc of a tree
#define IDS (SIDE == 32 ? 31u : SIDE == 64 ? 63u : 127u)  // bits of the indices of the points of a side
#define NOBODY 0xffffffffu
typedef unsigned long long Bits;

struct Team {
    int lane;
    unsigned *board;  // memory for exchange between warps: two buffers, used in turn
    int turn;
};

__device__ __forceinline__ void together() {
#if TEAM == 32
    __syncwarp();
#else
    __syncthreads();
#endif
}

__device__ __forceinline__ unsigned least_of_warp(unsigned key) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int step = 16; step; step /= 2) key = min(key, __shfl_xor_sync(0xffffffff, key, step));
    return key;
#else
    return __reduce_min_sync(0xffffffff, key);
#endif
}

// The least key of the team.
__device__ __forceinline__ unsigned least(Team &team, unsigned key) {
    key = least_of_warp(key);
#if TEAM > 32
    unsigned *board = team.board + (TEAM / 32) * team.turn;
    team.turn ^= 1;
    if (team.lane % 32 == 0) board[team.lane / 32] = key;
    __syncthreads();
    for (int w = 0; w < TEAM / 32; w++) key = min(key, board[w]);
#endif
    return key;
}

// A word with the same order as positive numbers.
__device__ __forceinline__ unsigned high_word(double x) { return (unsigned)((Bits)__double_as_longlong(x) >> 32); }
__device__ __forceinline__ unsigned low_word(double x) { return (unsigned)__double_as_longlong(x); }

// A key that increases with x, up to the bits used by `who`: the smallest key tells who has about the smallest x.
__device__ __forceinline__ unsigned key_of(double x, int who) {
    unsigned word = high_word(x);
    word = word >> 31 ? ~word : word | 0x80000000u;
    return (word & ~IDS) | (unsigned)who;
}

// The minimum of positive numbers, in two words; NOBODY for threads without one.
__device__ __forceinline__ double least_positive(Team &team, unsigned high, unsigned low) {
    unsigned first = least(team, high);
    unsigned second = least(team, high == first ? low : NOBODY);
    return __longlong_as_double((long long)((Bits)first << 32 | second));
}

__device__ __forceinline__ double largest(Team &team, double x) {  // for numbers ≥ 0
    unsigned first = ~least(team, ~high_word(x));
    unsigned second = ~least(team, high_word(x) == first ? ~low_word(x) : NOBODY);
    return __longlong_as_double((long long)((Bits)first << 32 | second));
}

// The sum, added in the same order each time.
__device__ __forceinline__ double sum(Team &team, double x, double *scratch) {
    for (int step = 16; step; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
#if TEAM > 32
    __syncthreads();
    if (team.lane % 32 == 0) scratch[team.lane / 32] = x;
    __syncthreads();
    x = 0;
    for (int w = 0; w < TEAM / 32; w++) x += scratch[w];
#endif
    return x;
}
