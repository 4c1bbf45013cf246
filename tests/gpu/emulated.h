// CUDA's words on the host: what kernels call, by the fibers of fibers.h.
namespace emulation {
// As CuPy has sources compiled: of single precision, numbers below the normal ones are 0. (Of double ones here as well,
// while that lasts.)
struct Flushing {
    unsigned long long before = 0;
    bool asked;
#if defined(__SSE2__)
    static unsigned long long mode() { return __builtin_ia32_stmxcsr(); }
    static void set(unsigned long long to) { __builtin_ia32_ldmxcsr((unsigned)to); }
    static constexpr unsigned long long FLUSH = 0x8040;
#elif defined(__aarch64__)
    static unsigned long long mode() { unsigned long long is; asm volatile("mrs %0, fpcr" : "=r"(is)); return is; }
    static void set(unsigned long long to) { asm volatile("msr fpcr, %0" : : "r"(to)); }
    static constexpr unsigned long long FLUSH = 1ull << 24;
#else
    static unsigned long long mode() { return 0; }
    static void set(unsigned long long) {}
    static constexpr unsigned long long FLUSH = 0;
#endif
    explicit Flushing(bool asked) : asked(asked) {
        if (asked) before = mode(), set(before | FLUSH);
    }
    ~Flushing() {
        if (asked) set(before);
    }
};
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
