// Roots of covariances, determinants and traces, always in double precision.

#if METRIC == LINE
__device__ inline void fill_shape(const double *cov, double unit, double lam, REAL *out) {
    double variance = cov[0] / unit;
    out[0] = (REAL)variance, out[1] = (REAL)sqrt(variance);
}
#endif

#if METRIC == PLANE
// √(a·c − b²), accurate to the last digits, for a matrix of any size, which is scaled to about 1 by a power of 2.
__device__ inline double root_determinant(double a, double b, double c) {
    int exponent;
    frexp(a + c, &exponent);
    a = ldexp(a, -exponent), b = ldexp(b, -exponent), c = ldexp(c, -exponent);
    double ac = times(a, c), bb = times(b, b);
    double det = (ac - bb) + (fma(a, c, -ac) - fma(b, b, -bb));
    return ldexp(sqrt(det > 0 ? det : 0), exponent);
}

__device__ inline void fill_shape(const double *cov, double unit, double lam, REAL *out) {
    double a = cov[0] / unit, b = cov[1] / unit, c = cov[3] / unit, trace = a + c;
    out[0] = (REAL)a, out[1] = (REAL)b, out[2] = (REAL)c;
    out[3] = (REAL)root_determinant(a, b, c);
    out[4] = (REAL)sqrt(trace), out[5] = (REAL)(lam * trace);
}
#endif

#if METRIC == SPACE
// Cosine, sine and tangent of the rotation, of at most 45°, that makes the entry pq of a symmetric matrix 0.
__device__ __forceinline__ void turn_of(double p, double q, double pq, double &c, double &s, double &t) {
    double gap = q - p, size = fabs(gap) + sqrt(gap * gap + 4 * pq * pq);
    t = (gap >= 0 ? 2 * pq : -2 * pq) / (size > 0 ? size : 1);
    c = 1 / sqrt(1 + t * t), s = c * t;
}

// One such rotation of the entries pp, qq, pq, of those of both with the third axis, and of the columns p, q of the axes.
__device__ __forceinline__ void turn_pair(double &pp, double &qq, double &pq, double &pr, double &qr, double *x, double *y) {
    double c, s, t;
    turn_of(pp, qq, pq, c, s, t);
    pp -= t * pq, qq += t * pq, pq = 0;
    double old = pr;
    pr = c * old - s * qr, qr = s * old + c * qr;
    for (int k = 0; k < 3; k++) old = x[k], x[k] = c * old - s * y[k], y[k] = s * old + c * y[k];
}

__device__ __forceinline__ double clipped_root(double value, double noise) { return sqrt(value > noise ? value : 0); }

// The symmetric root by Jacobi's method, its determinant, the trace, and its eigenvalues, decreasing.
__device__ inline void fill_shape(const double *cov, double unit, double lam, REAL *out) {
    double trace = cov[0] / unit + cov[4] / unit + cov[8] / unit;
    int exponent;
    frexp(trace, &exponent);
    int half = max(exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2), -510);
    double scale = ldexp(1.0, -2 * half), back = ldexp(1.0, half);
    double xx = cov[0] / unit * scale, xy = cov[1] / unit * scale, xz = cov[2] / unit * scale;
    double yy = cov[4] / unit * scale, yz = cov[5] / unit * scale, zz = cov[8] / unit * scale;
    double u[3] = {1, 0, 0}, v[3] = {0, 1, 0}, w[3] = {0, 0, 1};
    for (int sweep = 0; sweep < 12 && xy * xy + xz * xz + yz * yz > 1e-36; sweep++) {
        turn_pair(xx, yy, xy, xz, yz, u, v);
        turn_pair(xx, zz, xz, xy, yz, u, w);
        turn_pair(yy, zz, yz, xy, xz, v, w);
    }
    double noise = 6e-16 * max(xx, max(yy, zz));  // rounding error of an eigenvalue 0
    double x = back * clipped_root(xx, noise), y = back * clipped_root(yy, noise), z = back * clipped_root(zz, noise);
    for (int a = 0, at = 0; a < 3; a++)
        for (int b = a; b < 3; b++, at++) out[at] = (REAL)(x * u[a] * u[b] + y * v[a] * v[b] + z * w[a] * w[b]);
    out[6] = (REAL)(x * y * z), out[7] = (REAL)trace;
    double low = min(x, y), high = max(x, y);
    out[8] = (REAL)max(high, z), out[9] = (REAL)max(low, min(high, z)), out[10] = (REAL)min(low, z);
}
#endif
