// Near covariances in 3-D: the root of one is rotated to be nearest to that of the other.
#include "thin.h"

struct Root {  // passed by value, so that rows of the caller stay in registers
    REAL h[6];
};

// The rows of N = H_A H_B; swapped, those of its transpose.
__device__ __forceinline__ void product(const REAL *a, const REAL *b, REAL *n) {
    n[0] = fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]));
    n[1] = fma(a[2], b[4], fma(a[1], b[3], a[0] * b[1]));
    n[2] = fma(a[2], b[5], fma(a[1], b[4], a[0] * b[2]));
    n[3] = fma(a[4], b[2], fma(a[3], b[1], a[1] * b[0]));
    n[4] = fma(a[4], b[4], fma(a[3], b[3], a[1] * b[1]));
    n[5] = fma(a[4], b[5], fma(a[3], b[4], a[1] * b[2]));
    n[6] = fma(a[5], b[2], fma(a[4], b[1], a[2] * b[0]));
    n[7] = fma(a[5], b[4], fma(a[4], b[3], a[2] * b[1]));
    n[8] = fma(a[5], b[5], fma(a[4], b[4], a[2] * b[2]));
}

// ‖row of H_A(Q − I) − row of the difference‖².
__device__ __forceinline__ REAL off(REAL x, REAL y, REAL z, REAL dx, REAL dy, REAL dz, const REAL *turn) {
    REAL u = x * turn[0] + y * turn[3] + z * turn[6] - dx;
    REAL v = x * turn[1] + y * turn[4] + z * turn[7] - dy;
    REAL w = x * turn[2] + y * turn[5] + z * turn[8] - dz;
    return u * u + v * v + w * w;
}

// ‖H_AQ − H_B‖² with the rotation Q nearest to N, whose σ add up to s; −1 if Q is undetermined. With t = tr N and k the
// axis of N − Nᵀ, Q has the quaternion (1, v), (s + t)v − (N + Nᵀ)v = k (Horn). k is computed from H_A − H_B.
__device__ __forceinline__ REAL turned_gap(const REAL *a, const REAL *b, REAL s) {
    REAL n[9], d[6];
    product(a, b, n);
    for (int k = 0; k < 6; k++) d[k] = b[k] - a[k];
    REAL x = (a[2] * d[1] - d[2] * a[1]) + (a[4] * d[3] - d[4] * a[3]) + (a[5] * d[4] - d[5] * a[4]);
    REAL y = (a[0] * d[2] - d[0] * a[2]) + (a[1] * d[4] - d[1] * a[4]) + (a[2] * d[5] - d[2] * a[5]);
    REAL z = (a[1] * d[0] - d[1] * a[0]) + (a[3] * d[1] - d[3] * a[1]) + (a[4] * d[2] - d[4] * a[2]);
    REAL grown = s + (n[0] + n[4] + n[8]);
    REAL m0 = grown - 2 * n[0], m3 = grown - 2 * n[4], m5 = grown - 2 * n[8];
    REAL m1 = -(n[1] + n[3]), m2 = -(n[2] + n[6]), m4 = -(n[5] + n[7]);
    REAL c0 = m3 * m5 - m4 * m4, c1 = m2 * m4 - m1 * m5, c2 = m1 * m4 - m2 * m3;
    REAL c3 = m0 * m5 - m2 * m2, c4 = m1 * m2 - m0 * m4, c5 = m0 * m3 - m1 * m1;
    REAL det = m0 * c0 + m1 * c1 + m2 * c2;
    if (!(det > KNOWN * s * s * s)) return -1;
    REAL u = (c0 * x + c1 * y + c2 * z) / det, v = (c1 * x + c3 * y + c4 * z) / det, w = (c2 * x + c4 * y + c5 * z) / det;
    REAL twice = 2 / (1 + u * u + v * v + w * w);
    x = twice * u, y = twice * v, z = twice * w;
    // Q − I = twice · ([v] + [v]²), row by row
    REAL turn[9] = {-(y * v + z * w), x * v - z, x * w + y, x * v + z, -(x * u + z * w), y * w - x,
                    x * w - y,        y * w + x, -(x * u + y * v)};
    return off(a[0], a[1], a[2], d[0], d[1], d[2], turn) + off(a[1], a[3], a[4], d[1], d[3], d[4], turn) +
           off(a[2], a[4], a[5], d[2], d[4], d[5], turn);
}

__device__ __noinline__ REAL near_gap_of(Root p, Root q, REAL s, REAL traces, REAL plain) {
    int first = 0;  // symmetric to the last bit
    while (first < 6 && p.h[first] == q.h[first]) first++;
    if (first == 6) return 0;
    Root a = p.h[first] < q.h[first] ? p : q, b = p.h[first] < q.h[first] ? q : p;
    REAL near = turned_gap(a.h, b.h, s);
    if (near == 0 || (near > 0 && traces > TINY)) return near;
    return IS_DOUBLE ? (REAL)thin_gap(a.h, b.h, traces) : (plain > 0 ? plain : 0);
}

__device__ __forceinline__ REAL near_gap(const REAL *p, const REAL *q, REAL s, REAL plain) {
    Root a, b;
    for (int k = 0; k < 6; k++) a.h[k] = p[k], b.h[k] = q[k];
    return near_gap_of(a, b, s, p[7] + q[7], plain);
}
