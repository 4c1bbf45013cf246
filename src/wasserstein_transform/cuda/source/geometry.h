// Distances of points: METRIC selects the metric at compile time, M is the number of coordinates. The data of a point are
// a row of K numbers. Distances are symmetric to the last bit.
#include "common.h"
#define CLOUD 0  // coordinates
#define LINE 1   // mean, variance, its root
#define PLANE 2  // means; covariance xx, xy, yy; roots of its determinant and its trace; λ·trace
#define SPACE 3  // means; root of the covariance xx, xy, xz, yy, yz, zz; its determinant; trace; eigenvalues of the root
#define SOLID 4  // means; trace; roots of the eigenvalues, decreasing; L, M × M: eigenvectors times these roots, in columns

#if METRIC == CLOUD
#define K M
#elif METRIC == LINE
#define K 3
#elif METRIC == PLANE
#define K 8
#elif METRIC == SPACE
#define K 14
#elif METRIC == SOLID
#define K (1 + M * (2 + M))
#endif

struct Geometry {
    const REAL *rows;  // n × K
    REAL lam;
};

__device__ __forceinline__ REAL infinite() { return (REAL)__longlong_as_double(0x7ff0000000000000LL); }

// Products and sums that are rounded separately, as on the host, so that x² + y² equals y² + x².
__device__ __forceinline__ double times(double x, double y) { return __dmul_rn(x, y); }
__device__ __forceinline__ double plus(double x, double y) { return __dadd_rn(x, y); }
__device__ __forceinline__ float times(float x, float y) { return __fmul_rn(x, y); }
__device__ __forceinline__ float plus(float x, float y) { return __fadd_rn(x, y); }

// ‖x − y‖² of the first M numbers of two rows.
__device__ __forceinline__ REAL apart(const REAL *p, const REAL *q) {
    REAL first = p[0] - q[0], total = times(first, first);
    for (int a = 1; a < M; a++) {
        REAL step = p[a] - q[a];
        total = M <= 3 ? plus(total, times(step, step)) : fma(step, step, total);
    }
    return total;
}

#if METRIC == LINE || METRIC == PLANE || METRIC == SPACE
#include "gaussians.h"
#endif

#if METRIC <= SPACE
// The squared distance of the points with these rows: in memory of any kind, or in registers.
__device__ __forceinline__ REAL squared_between(const REAL *p, const REAL *q, REAL lam) {
#if METRIC == CLOUD
    return apart(p, q);
#else
    return fma(lam, gap(p + M, q + M), apart(p, q));
#endif
}

// The same, or infinity once it is certain to exceed the limit.
__device__ __forceinline__ REAL squared_between_within(const REAL *p, const REAL *q, REAL lam, REAL limit) {
    REAL total = apart(p, q);
#if METRIC != CLOUD
    if (total > limit || fma(lam, least_gap(p + M, q + M), total) > limit * (1 + SLACK)) return infinite();
    total = fma(lam, gap(p + M, q + M), total);
#endif
    return total;
}

__device__ __forceinline__ REAL squared(const Geometry &geometry, Index i, Index j) {
    return squared_between(geometry.rows + i * K, geometry.rows + j * K, geometry.lam);
}

__device__ __forceinline__ REAL squared_within(const Geometry &geometry, Index i, Index j, REAL limit) {
    return squared_between_within(geometry.rows + i * K, geometry.rows + j * K, geometry.lam, limit);
}

__device__ __forceinline__ REAL distance(const Geometry &geometry, Index i, Index j) {
    return sqrt(squared(geometry, i, j));
}
#endif
