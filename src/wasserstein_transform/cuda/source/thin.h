// Near covariances in 3-D of numerical rank 1, or tiny relative to others: ‖L_A − L_BQ‖² of thin factors with the polar
// factor Q of L_BᵀL_A, pair by pair.

// A power of 2 that scales matrices of this size so that fourth powers neither overflow nor underflow.
__device__ __forceinline__ double unit_of(double size) {
    return size < 1e-220 ? 0x1p860 : size < 1e-140 ? 0x1p600 : size < 1e-60 ? 0x1p330 : 1.0;
}

__device__ __forceinline__ double dot(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

__device__ inline void rotate(double *x, double *y, double c, double s) {
    for (int k = 0; k < 3; k++) {
        double a = x[k], b = y[k];
        x[k] = c * a - s * b, y[k] = s * a + c * b;
    }
}

// One-sided Jacobi: rotate the rows of G until they are orthogonal, and those of X with them.
__device__ inline void orthogonalize(double (*G)[3], int n, double (*X)[3]) {
    for (int sweep = 0; sweep < 60; sweep++) {
        bool quiet = true;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                double gamma = dot(G[p], G[q]), one = dot(G[p], G[p]), other = dot(G[q], G[q]);
                if (fabs(gamma) <= 1.2e-15 * sqrt(one) * sqrt(other)) continue;
                quiet = false;
                double zeta = (other - one) / (2 * gamma), t = 1 / (fabs(zeta) + sqrt(1 + zeta * zeta));
                t = zeta < 0 ? -t : t;
                double c = 1 / sqrt(1 + t * t);
                rotate(G[p], G[q], c, c * t);
                rotate(X[p], X[q], c, c * t);
            }
        if (quiet) return;
    }
}

// The rows of a root times `size`, orthogonalized, without rounding errors of 0; returns their number.
__device__ inline int thin_factor(const REAL *h, double size, double (*out)[3]) {
    double X[3][3] = {};
    out[0][0] = size * h[0], out[0][1] = out[1][0] = size * h[1], out[0][2] = out[2][0] = size * h[2];
    out[1][1] = size * h[3], out[1][2] = out[2][1] = size * h[4], out[2][2] = size * h[5];
    orthogonalize(out, 3, X);
    double most = max(dot(out[0], out[0]), max(dot(out[1], out[1]), dot(out[2], out[2])));
    int rank = 0;
    for (int a = 0; a < 3; a++)
        if (dot(out[a], out[a]) > 1e-30 * most) {
            for (int b = 0; b < 3; b++) out[rank][b] = out[a][b];
            rank++;
        }
    return rank;
}

__device__ inline double thin_gap(const REAL *h, const REAL *other, double traces) {
    double unit = unit_of(traces), A[3][3], B[3][3], G[3][3], largest = 0, total = 0, unmatched = 0;
    int rank_a = thin_factor(h, sqrt(unit), A), rank_b = thin_factor(other, sqrt(unit), B), n_known = 0;
    for (int l = 0; l < rank_a; l++)
        for (int k = 0; k < 3; k++) G[l][k] = k < rank_b ? dot(A[l], B[k]) : 0;
    orthogonalize(G, rank_a, A);  // L_BᵀL_A = U S Vᵀ: row l of G becomes s_l u_l, row l of A becomes L_A v_l
    for (int l = 0; l < rank_a; l++) largest = max(largest, dot(G[l], G[l]));
    for (int k = 0; k < rank_b; k++) unmatched += dot(B[k], B[k]);  // the part of B orthogonal to the range of G
    for (int l = 0; l < rank_a; l++) {
        double s = sqrt(dot(G[l], G[l]));
        bool known = s > 3e-15 * sqrt(largest);
        n_known += known;
        for (int k = 0; k < 3; k++) {
            double image = 0;
            for (int r = 0; known && r < rank_b; r++) image += B[r][k] * G[l][r] / s;
            double step = A[l][k] - image;
            total += step * step, unmatched -= image * image;
        }
    }
    return (n_known == rank_b || unmatched < 0 ? total : total + unmatched) / unit;
}
