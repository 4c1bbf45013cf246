// Shapes of neighborhoods: (yy, yx, xx, root of the determinant), SHAPES = 4, or in volumes (zz, zy, zx, yy, yx, xx,
// root), SHAPES = 7; and the test of similar shapes, as on the host, with the same bits where rounding might decide.
#include "rounded.h"
#define DOUBT 2e-14  // relative tolerance of the tests, ten times the rounding error
#define FAR_APART 1e-5  // above this share of both traces, the trace formula keeps at least 10 digits

#if SHAPES > 0
struct Shape {
    double entries[SHAPES];
    __device__ __forceinline__ double operator[](int k) const { return entries[k]; }
};
#endif

#if SHAPES == 4
__device__ __forceinline__ double near_plane(const Shape &A, const Shape &B) {
    Rounded a = A[0], b = A[1], c = A[2], root_a = A[3], p = B[0], q = B[1], r = B[2], root_b = B[3], two = 2.0;
    Rounded da = p - a, db = q - b, dc = r - c, dets = root_a * root_b;
    Rounded traces = (a + c) + (p + r), roots = root_a + root_b;
    Rounded fidelity = root(positive(a * p + two * b * q + c * r + two * root_a * root_b));
    Rounded change = 0.0, twist = 0.0;
    if (roots > 0.0) change = (a * dc + c * da + da * dc - two * b * db - db * db) / roots;
    Rounded x = a * dc - c * da, y = a * db - b * da, z = c * db - b * dc;
    Rounded mixed = roots * roots - (da * dc - db * db);
    if (roots * roots < Rounded(1e-14) * traces * traces) mixed = a * r + p * c - two * b * q + two * dets;
    Rounded turned = x * x + Rounded(4.0) * y * z;
    if (turned > 0.0 && mixed > 0.0) twist = turned / mixed;
    Rounded total = traces + two * fidelity;
    Rounded squares = da * da + dc * dc + two * db * db + two * change * change + two * twist;
    return total > 0.0 ? (squares / total).number : squares.number;
}

// dcov² of two shapes, passed by value so that they are in memory only where this is called.
__device__ __noinline__ double gap_of(Shape A, Shape B) {
    Rounded a = A[0], b = A[1], c = A[2], p = B[0], q = B[1], r = B[2], two = 2.0;
    Rounded overlap = positive(a * p + two * b * q + c * r + two * Rounded(A[3]) * Rounded(B[3]));
    Rounded traces = (a + c) + (p + r), plain = traces - two * root(overlap);
    return plain > Rounded(FAR_APART) * traces && overlap > 1e-290 ? plain.number : near_plane(A, B);
}

// The shape that is compared with all pixels of a window, as 4A, so that 4s² = tr 4AB + 8·roots.
struct Own {
    double trace, a, b, c, root, doubt;
    __device__ __forceinline__ Own(const double *own, double top)
        : trace(own[0] + own[2]), a(4.0 * own[0]), b(8.0 * own[1]), c(4.0 * own[2]), root(8.0 * own[3]) {
        doubt = DOUBT * (trace + top) * (trace + top);
    }
};

// 4s² minus the signed square of tr A + tr B − rest: ≥ 0 exactly if dcov² ≤ rest.
__device__ __forceinline__ double excess_of(const Own &own, const Shape &other, double rest) {
    double lack = own.trace + (other[0] + other[2] - rest);
    return own.a * other[0] + own.b * other[1] + own.c * other[2] + own.root * other[3] - lack * fabs(lack);
}
#endif

#if SHAPES == 7
struct Minors {
    Rounded zz, zy, zx, yy, yx, xx;
    __device__ __forceinline__ Minors(const Shape &A)
        : zz(Rounded(A[3]) * A[5] - Rounded(A[4]) * A[4]), zy(Rounded(A[2]) * A[4] - Rounded(A[1]) * A[5]),
          zx(Rounded(A[1]) * A[4] - Rounded(A[2]) * A[3]), yy(Rounded(A[0]) * A[5] - Rounded(A[2]) * A[2]),
          yx(Rounded(A[1]) * A[2] - Rounded(A[0]) * A[4]), xx(Rounded(A[0]) * A[3] - Rounded(A[1]) * A[1]) {}
};

// dcov² of two shapes: s = Σσ solves s² = Σσ² + 2√(Σσ²σ'² + 2sΠσ), by Newton's method from above.
__device__ __noinline__ double gap_of(Shape A, Shape B) {
    bool same = true;
    for (int k = 0; k < 6; k++) same &= A[k] == B[k];
    if (same) return 0.0;
    Minors u(A), v(B);
    Rounded a = A[0], d = A[3], f = A[5], two = 2.0;
    Rounded first = positive(a * B[0] + d * B[3] + f * B[5]
                             + two * (Rounded(A[1]) * B[1] + Rounded(A[2]) * B[2] + Rounded(A[4]) * B[4]));
    Rounded second = positive(u.zz * v.zz + u.yy * v.yy + u.xx * v.xx
                              + two * (u.zy * v.zy + u.zx * v.zx + u.yx * v.yx));
    Rounded third = two * A[6] * B[6], s = root(Rounded(3.0) * first);
    for (int k = 0; k < 20; k++) {
        Rounded p = root(second + third * s), q = root(first + two * p);
        if (p.number == 0.0 || q.number == 0.0) {
            s = q;
            break;
        }
        Rounded slope = third / (two * p * q), step = (s - q) / (Rounded(1.0) - slope);
        s = s - step;
        if (fabs(step.number) <= 4e-16 * s.number) break;
    }
    return positive(a + d + f + B[0] + B[3] + B[5] - two * s).number;
}

struct Own {
    double trace, a, b, c, d, e, f, root, zz, yy, xx, zy, zx, yx, doubt;
    __device__ __forceinline__ Own(const double *own, double top)
        : trace(own[0] + own[3] + own[5]), a(own[0]), b(2.0 * own[1]), c(2.0 * own[2]), d(own[3]), e(2.0 * own[4]),
          f(own[5]), root(2.0 * own[6]) {
        zz = d * f - 0.25 * e * e, yy = a * f - 0.25 * c * c, xx = a * d - 0.25 * b * b;
        zy = 0.5 * c * e - b * f, zx = 0.5 * b * e - c * d, yx = 0.5 * b * c - a * e;
        double traces = (trace + top) * (trace + top);
        doubt = DOUBT * traces * traces;
    }
};

// ≥ 0 exactly if s ≥ L with 2L = tr A + tr B − rest, that is, if L² ≤ t or (L² − t)² ≤ 4(u + vL).
__device__ __forceinline__ double excess_of(const Own &own, const Shape &other, double rest) {
    double p = other[0], q = other[1], r = other[2], u = other[3], v = other[4], w = other[5];
    double half = 0.5 * (own.trace + (p + u + w - rest));
    double first = own.a * p + own.b * q + own.c * r + own.d * u + own.e * v + own.f * w;
    double second = own.zz * (u * w - v * v) + own.yy * (p * w - r * r) + own.xx * (p * u - q * q);
    second += own.zy * (r * v - q * w) + own.zx * (q * v - r * u) + own.yx * (q * r - p * v);
    double over = half * fabs(half) - first;
    return 4.0 * (second + own.root * other[6] * (half > 0.0 ? half : 0.0)) - over * fabs(over);
}
#endif

#if SHAPES > 0
// Whether dcov² of the shape of the pixel and another one is at most `rest`.
__device__ __forceinline__ bool are_alike(const Own &own, const double *shape, const Shape &other, double rest) {
    double excess = excess_of(own, other, rest);
    if (excess < -own.doubt) return false;
    if (excess > own.doubt) return true;
    Shape mine;
    for (int k = 0; k < SHAPES; k++) mine.entries[k] = shape[k];
    return gap_of(other, mine) <= rest;
}

// The shape of `count` positions, given Σdz, Σdy, Σdx, Σdz², Σdzdy, Σdzdx, Σdy², Σdydx, Σdx².
__device__ __forceinline__ void spread(const Index *sums, Index count, double *own) {
    Rounded n = (double)count, z = (double)sums[0] / n, y = (double)sums[1] / n, x = (double)sums[2] / n;
    const int k = SHAPES - 4;
    Rounded yy = positive((double)sums[6] / n - y * y), yx = (double)sums[7] / n - y * x;
    Rounded xx = positive((double)sums[8] / n - x * x), minor = yy * xx - yx * yx;
    own[k] = yy.number, own[k + 1] = yx.number, own[k + 2] = xx.number;
#if SHAPES == 4
    own[3] = root(positive(minor)).number;
#else
    Rounded zz = positive((double)sums[3] / n - z * z), zy = (double)sums[4] / n - z * y;
    Rounded zx = (double)sums[5] / n - z * x;
    own[0] = zz.number, own[1] = zy.number, own[2] = zx.number;
    own[6] = root(positive(zz * minor - zy * (zy * xx - yx * zx) + zx * (zy * yx - yy * zx))).number;
#endif
}
#endif
