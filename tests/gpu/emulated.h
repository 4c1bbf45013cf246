// CUDA's words on the host: the threads of a block are fibers of one thread, switched where they wait for each other.
// Blocks run one after the other. Whoever reads what another thread of the block has written, and has not waited for
// it, reads here what was there before.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <vector>

#define __device__
#define __host__
#define __global__
#define __constant__ static const
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define SHARED(type, name) type *name = (type *)emulation::shared.data()

struct Dim3 {
    unsigned x, y, z;
};
static Dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};
static const int warpSize = 32;

namespace emulation {
struct Group {  // threads that wait for each other
    int alive = 0, arrived = 0;
    long generation = 0;
};
struct Fiber {
    ucontext_t start;
    jmp_buf at;
    bool begun = false, ended = false;
};
static std::vector<char> shared;
static std::vector<Fiber> fibers;
static std::vector<std::vector<char>> stacks;
static std::vector<Group> warps;
static std::vector<uint64_t> slots;
static Group block;
static ucontext_t home;
static jmp_buf back;
static int now = 0;
static bool together = false;
static long idle = 0;
static const std::function<void()> *body;
static const size_t STACK = 1 << 17;

static void body_of_fiber() {
    (*body)();
    fibers[now].ended = true;
    Group &warp = warps[now / 32];
    for (Group *group : {&warp, &block}) {
        group->alive--;
        if (group->alive > 0 && group->arrived == group->alive) group->arrived = 0, group->generation++;
    }
    idle = 0;
    _longjmp(back, 1);
}

static void pause() {
    if (!_setjmp(fibers[now].at)) _longjmp(back, 1);
}

static void wait_for(Group &group) {
    if (!together) return;
    long mine = group.generation;
    if (++group.arrived == group.alive) {
        group.arrived = 0, group.generation++, idle = 0;
        return;
    }
    while (group.generation == mine) pause();
}

static void go_on(int t) {
    now = t;
    threadIdx.x = t;
    if (_setjmp(back)) return;
    if (fibers[t].begun) _longjmp(fibers[t].at, 1);
    fibers[t].begun = true;
    setcontext(&fibers[t].start);
}

static void run_block(int n) {
    fibers.assign(n, Fiber());
    while ((int)stacks.size() < n) stacks.emplace_back(STACK);
    warps.assign((n + 31) / 32, Group());
    slots.assign(((n + 31) / 32) * 32, 0);
    block = Group();
    block.alive = n;
    for (int t = 0; t < n; t++) {
        warps[t / 32].alive++;
        getcontext(&fibers[t].start);
        fibers[t].start.uc_stack.ss_sp = stacks[t].data();
        fibers[t].start.uc_stack.ss_size = STACK;
        fibers[t].start.uc_link = nullptr;
        makecontext(&fibers[t].start, body_of_fiber, 0);
    }
    idle = 0;
    while (block.alive > 0) {
        for (int t = 0; t < n; t++)
            if (!fibers[t].ended) go_on(t);
        if (++idle > 3) {
            fprintf(stderr, "threads of a block wait for others that never come\n");
            abort();
        }
    }
}

static void launch(long grid, int size, long n_shared, bool cooperative, const std::function<void()> &kernel) {
    gridDim.x = grid, blockDim.x = size, body = &kernel, together = cooperative;
    shared.assign(n_shared + 16, (char)0xAB);
    for (long b = 0; b < grid; b++) {
        blockIdx.x = b;
        if (cooperative) {
            run_block(size);
            continue;
        }
        for (int t = 0; t < size; t++) threadIdx.x = t, kernel();
    }
}

static Group &warp() { return warps[now / 32]; }

template <typename T>
static T exchanged(T value, int from) {
    static_assert(sizeof(T) <= 8, "");
    int first = now / 32 * 32, me = now;
    memcpy(&slots[me], &value, sizeof(T));
    wait_for(warp());
    T found;
    memcpy(&found, &slots[first + (from & 31)], sizeof(T));
    wait_for(warp());
    return found;
}
}  // namespace emulation

static inline void __syncthreads() { emulation::wait_for(emulation::block); }
static inline void __syncwarp(unsigned = 0xffffffff) { emulation::wait_for(emulation::warp()); }
template <typename T>
static T __shfl_sync(unsigned, T value, int from) { return emulation::exchanged(value, from); }
template <typename T>
static T __shfl_xor_sync(unsigned, T value, int with) { return emulation::exchanged(value, (emulation::now & 31) ^ with); }
template <typename T>
static T __shfl_down_sync(unsigned, T value, int by) {
    int lane = emulation::now & 31;
    return emulation::exchanged(value, lane + by < 32 ? lane + by : lane);
}
template <typename T>
static T __shfl_up_sync(unsigned, T value, int by) {
    int lane = emulation::now & 31;
    return emulation::exchanged(value, lane >= by ? lane - by : lane);
}
static inline unsigned __ballot_sync(unsigned, int is) {
    unsigned bits = 0;
    size_t first = emulation::now / 32 * 32;
    emulation::slots[emulation::now] = is != 0;
    emulation::wait_for(emulation::warp());
    for (size_t lane = 0; lane < 32 && first + lane < emulation::fibers.size(); lane++)
        if (!emulation::fibers[first + lane].ended) bits |= (unsigned)emulation::slots[first + lane] << lane;
    emulation::wait_for(emulation::warp());
    return bits;
}
static inline int __any_sync(unsigned mask, int is) { return __ballot_sync(mask, is) != 0; }
static inline int __all_sync(unsigned mask, int is) { return __ballot_sync(mask, !is) == 0; }
static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }
static inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
static inline int __clz(int bits) { return bits ? __builtin_clz(bits) : 32; }
static inline void __threadfence() {}
template <typename T>
static T __ldg(const T *at) { return *at; }
template <typename T>
static T atomicAdd(T *at, T value) { T old = *at; *at += value; return old; }
template <typename T>
static T atomicMin(T *at, T value) { T old = *at; if (value < old) *at = value; return old; }
template <typename T>
static T atomicMax(T *at, T value) { T old = *at; if (value > old) *at = value; return old; }
template <typename T>
static T atomicCAS(T *at, T expected, T value) { T old = *at; if (old == expected) *at = value; return old; }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline long long __double_as_longlong(double x) { long long y; memcpy(&y, &x, 8); return y; }
static inline double __longlong_as_double(long long x) { double y; memcpy(&y, &x, 8); return y; }
static inline double __dsub_rn(double x, double y) { return x - y; }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
template <typename T>
static T min(T a, T b) { return b < a ? b : a; }
template <typename T>
static T max(T a, T b) { return a < b ? b : a; }
