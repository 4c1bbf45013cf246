// dcov² of covariances without cancellation, given the part of their rows after the means: `gap`, and a lower bound of
// it, `least_gap`. The formulas are those of the CPU, written to be symmetric to the last bit.
#define IS_DOUBLE (sizeof(REAL) == 8)
#define FAR ((REAL)(IS_DOUBLE ? 1e-5 : 1e-2))      // share of the traces above which the trace formula is accurate
#define TINY ((REAL)(IS_DOUBLE ? 1e-60 : 1e-8))     // fourth powers of smaller traces would underflow
#define KNOWN ((REAL)(IS_DOUBLE ? 1e-12 : 1e-4))    // below this, relative to (Σσ)³, the rotation about an axis is undetermined
#define SLACK ((REAL)(IS_DOUBLE ? 1e-9 : 1e-5))     // tolerance for rounding of bounds

#if METRIC == LINE
// (√a − √b)² as ((a − b) / (√a + √b))².
__device__ __forceinline__ REAL gap(const REAL *p, const REAL *q) {
    REAL total = p[1] + q[1], step = (p[0] - q[0]) / (total > 0 ? total : 1);
    return step * step;
}

__device__ __forceinline__ REAL least_gap(const REAL *p, const REAL *q) { return 0; }
#endif

#if METRIC == PLANE
// From differences, for near matrices: with (a, b; b, c) the mean of both matrices and (x, y; y, z) their difference.
__device__ __forceinline__ REAL near_gap(const REAL *p, const REAL *q, REAL traces, REAL overlap) {
    REAL x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    if (x == 0 && y == 0 && z == 0) return 0;
    REAL a = (p[0] + q[0]) / 2, b = (p[1] + q[1]) / 2, c = (p[2] + q[2]) / 2, roots = p[3] + q[3];
    REAL change = roots > 0 ? fma(a, z, fma(c, x, -2 * b * y)) / roots : 0;
    REAL u = fma(a, z, -(c * x)), v = fma(a, y, -(b * x)), w = fma(c, y, -(b * z)), off = fma(x, z, -(y * y));
    REAL mixed = fma(roots, roots, -off);
    if (roots * roots < (REAL)1e-14 * traces * traces)  // singular up to rounding: use only the entries
        mixed = 2 * fma(a, c, -(b * b)) - off / 2 + 2 * p[3] * q[3];
    REAL twist = fma(u, u, 4 * v * w);
    twist = twist > 0 && mixed > 0 ? twist / mixed : 0;
    REAL squares = fma(x, x, z * z) + 2 * fma(y, y, fma(change, change, twist));
    return squares / fma((REAL)2, sqrt(overlap), traces);
}

__device__ __forceinline__ REAL gap(const REAL *p, const REAL *q) {
    REAL overlap = fma(2 * p[3], q[3], fma(p[2], q[2], fma(2 * p[1], q[1], p[0] * q[0])));
    overlap = overlap > 0 ? overlap : 0;
    REAL traces = (p[0] + p[2]) + (q[0] + q[2]), plain = fma((REAL)-2, sqrt(overlap), traces);
    // in single precision, products of tiny entries underflow: the distance of a matrix to itself would not be 0
    if (!IS_DOUBLE && overlap == 0 && p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) return 0;
    return plain > FAR * traces ? plain : near_gap(p, q, traces, overlap);
}

__device__ __forceinline__ REAL least_gap(const REAL *p, const REAL *q) {
    REAL step = p[4] - q[4];  // (√tr A − √tr B)² ≤ dcov²
    return step * step;
}
#endif

#if METRIC == SPACE
#include "space.h"
#endif
