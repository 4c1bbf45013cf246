// CUDA's words on the host: the threads of a block are fibers of one thread, switched where they wait for each other, in
// an order that a seed decides. Blocks run one after the other, in no order either. Whoever reads what another thread of
// the block has written, and has not waited for it, reads what was there before, under one seed or another.
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
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
struct Barrier {  // of lanes of a warp: those of the mask wait for each other, all doing the same
    unsigned mask;
    int kind;
    unsigned arrived;
};
struct Warp {
    unsigned alive = 0, released = 0;
    std::vector<Barrier> open;
};
struct Group {  // all threads of a block
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
static std::vector<Warp> warps;
static std::vector<uint64_t> slots;
static Group block;
static jmp_buf back;
static int now = 0;
static bool together = false;
static long idle = 0;
static const std::function<void()> *body;
static const size_t STACK = 1 << 17, GUARD = 256;
static const char POISON = (char)0xAB;

static void fail(const char *why) {
    fprintf(stderr, "block %u, thread %u: %s\n", blockIdx.x, threadIdx.x, why);
    abort();
}

static void settle(Warp &warp) {
    for (size_t k = 0; k < warp.open.size(); k++)
        if ((warp.open[k].mask & warp.alive) == (warp.open[k].arrived & warp.alive)) {
            warp.released |= warp.open[k].arrived, idle = 0;
            warp.open.erase(warp.open.begin() + k--);
        }
}

static void body_of_fiber() {
    (*body)();
    fibers[now].ended = true;
    Warp &warp = warps[now / 32];
    warp.alive &= ~(1u << now % 32);
    memset(&slots[now], POISON, 8);
    settle(warp);
    block.alive--;
    if (block.alive > 0 && block.arrived == block.alive) block.arrived = 0, block.generation++;
    idle = 0;
    _longjmp(back, 1);
}

static void pause() {
    if (!_setjmp(fibers[now].at)) _longjmp(back, 1);
}

static void wait_for_block() {
    if (!together) fail("waits, in a file that was not found to");
    long mine = block.generation;
    if (++block.arrived == block.alive) {
        block.arrived = 0, block.generation++, idle = 0;
        return;
    }
    while (block.generation == mine) pause();
}

static void meet(unsigned mask, int kind) {
    if (!together) fail("waits, in a file that was not found to");
    Warp &warp = warps[now / 32];
    unsigned bit = 1u << now % 32;
    if (!(mask & bit)) fail("a lane waits that is not in its mask");
    size_t k = 0;
    while (k < warp.open.size() && (warp.open[k].mask != mask || warp.open[k].kind != kind)) k++;
    if (k == warp.open.size()) warp.open.push_back({mask, kind, 0});
    warp.open[k].arrived |= bit, warp.released &= ~bit;
    settle(warp);
    while (!(warps[now / 32].released & bit)) pause();
}

static void go_on(int t) {
    now = t;
    threadIdx.x = t;
    if (_setjmp(back)) return;
    if (fibers[t].begun) _longjmp(fibers[t].at, 1);
    fibers[t].begun = true;
    setcontext(&fibers[t].start);
}

static void run_block(const std::vector<int> &order) {
    int n = (int)order.size();
    fibers.assign(n, Fiber());
    while ((int)stacks.size() < n) stacks.emplace_back(STACK);
    warps.assign((n + 31) / 32, Warp());
    slots.assign(((n + 31) / 32) * 32, 0xABABABABABABABABull);
    block = Group();
    block.alive = n;
    for (int t = 0; t < n; t++) {
        warps[t / 32].alive |= 1u << t % 32;
        getcontext(&fibers[t].start);
        fibers[t].start.uc_stack.ss_sp = stacks[t].data();
        fibers[t].start.uc_stack.ss_size = STACK;
        fibers[t].start.uc_link = nullptr;
        makecontext(&fibers[t].start, body_of_fiber, 0);
    }
    idle = 0;
    for (bool forth = true; block.alive > 0; forth = !forth) {
        for (int k = 0; k < n; k++) {
            int t = order[forth ? k : n - 1 - k];
            if (!fibers[t].ended) go_on(t);
        }
        if (++idle > 3) fail("threads of a block wait for others that never come, or that do something else");
    }
}

// Threads in an order of their own, by a seed; 0 leaves them in a row.
static std::vector<int> shuffled(int n, unsigned long long seed) {
    std::vector<int> order(n);
    for (int k = 0; k < n; k++) order[k] = k;
    for (int k = n - 1; k > 0 && seed; k--) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[k], order[(seed >> 33) % (k + 1)]);
    }
    return order;
}

static void launch(long grid, int size, long n_shared, long seed, bool cooperative, const std::function<void()> &kernel) {
    gridDim.x = grid, blockDim.x = size, body = &kernel, together = cooperative;
    std::vector<int> order = shuffled(size, seed);
    long step = seed ? 1 + (grid * 5 / 8) : 1;  // blocks in another order, too
    while (std::__gcd(step, grid) != 1) step++;
    long b = 0;
    for (long k = 0; k < grid; k++, b = (b + step) % grid) {
        blockIdx.x = b;
        shared.assign(n_shared + GUARD, POISON);
        if (cooperative) run_block(order);
        if (!cooperative)
            for (int t : order) threadIdx.x = t, kernel();
        for (size_t at = n_shared; at < shared.size(); at++)
            if (shared[at] != POISON) fail("writes behind its shared memory");
    }
}

enum Kind { SYNC, INDEX, UP, DOWN, BUTTERFLY, BALLOT, FOLD };  // shuffles differ by their size as well

// What the lane `from` gives; of one that has ended or is not in the mask, nothing that means anything.
template <typename T>
static T exchanged(unsigned mask, T value, int from, Kind kind) {
    static_assert(sizeof(T) <= 8, "");
    int first = now / 32 * 32, me = now;
    memset(&slots[me], POISON, 8), memcpy(&slots[me], &value, sizeof(T));
    meet(mask, kind + 16 * (int)sizeof(T));
    T found;
    memset((void *)&found, POISON, sizeof(T));
    if (mask >> (from & 31) & 1) memcpy((void *)&found, &slots[first + (from & 31)], sizeof(T));
    meet(mask, kind + 16 * (int)sizeof(T));
    return found;
}

template <typename F>
static unsigned folded(unsigned mask, unsigned value, Kind kind, F fold) {
    int first = now / 32 * 32, me = now;
    slots[me] = value;
    meet(mask, kind);
    unsigned found = (unsigned)slots[me];
    for (int lane = first; lane < first + 32 && lane < (int)fibers.size(); lane++)
        if (mask >> (lane - first) & 1 && !fibers[lane].ended) found = fold(found, (unsigned)slots[lane]);
    meet(mask, kind);
    return found;
}

template <typename T>
static T rounded(T value) {  // never fused with what comes after
#ifdef __aarch64__
    asm volatile("" : "+w"(value));
#else
    asm volatile("" : "+x"(value));
#endif
    return value;
}
}  // namespace emulation

static inline void __syncthreads() { emulation::wait_for_block(); }
static inline void __syncwarp(unsigned mask = 0xffffffff) { emulation::meet(mask, emulation::SYNC); }
template <typename T>
static T __shfl_sync(unsigned mask, T value, int from) { return emulation::exchanged(mask, value, from, emulation::INDEX); }
template <typename T>
static T __shfl_xor_sync(unsigned mask, T value, int with) {
    return emulation::exchanged(mask, value, (emulation::now & 31) ^ with, emulation::BUTTERFLY);
}
template <typename T>
static T __shfl_down_sync(unsigned mask, T value, int by) {
    int lane = emulation::now & 31;
    return emulation::exchanged(mask, value, lane + by < 32 ? lane + by : lane, emulation::DOWN);
}
template <typename T>
static T __shfl_up_sync(unsigned mask, T value, int by) {
    int lane = emulation::now & 31;
    return emulation::exchanged(mask, value, lane >= by ? lane - by : lane, emulation::UP);
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
    return emulation::folded(mask, value, emulation::FOLD, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
    return emulation::folded(mask, value, emulation::FOLD, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
static inline unsigned __ballot_sync(unsigned mask, int is) {
    unsigned bit = (unsigned)(is != 0) << (emulation::now & 31);
    return emulation::folded(mask, bit, emulation::BALLOT, [](unsigned a, unsigned b) { return a | b; });
}
static inline int __any_sync(unsigned mask, int is) { return __ballot_sync(mask, is) != 0; }
static inline int __all_sync(unsigned mask, int is) { return __ballot_sync(mask, is == 0) == 0; }
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
static inline double __dsub_rn(double x, double y) { return emulation::rounded(x - y); }
static inline double __dadd_rn(double x, double y) { return emulation::rounded(x + y); }
static inline double __dmul_rn(double x, double y) { return emulation::rounded(x * y); }
static inline float __fadd_rn(float x, float y) { return emulation::rounded(x + y); }
static inline float __fmul_rn(float x, float y) { return emulation::rounded(x * y); }
template <typename T>
static T min(T a, T b) { return b < a ? b : a; }
template <typename T>
static T max(T a, T b) { return a < b ? b : a; }
