// dcov² of 3 × 3 covariances, given by their roots H = (xx, xy, xz, yy, yz, zz), the determinants of these, the traces and
// the eigenvalues of the roots. The singular values of N = H_A H_B add up to tr(A^½BA^½)^½.
#include "turns.h"

// Σσ², the sum of the squared entries, with the same bits for the transpose (A and B exchanged).
__device__ __forceinline__ REAL sum_of_squares(const REAL *n) {
    REAL diagonal = fma(n[8], n[8], fma(n[4], n[4], n[0] * n[0]));
    REAL one = plus(times(n[1], n[1]), times(n[3], n[3])), two = plus(times(n[2], n[2]), times(n[6], n[6]));
    return ((diagonal + one) + two) + plus(times(n[5], n[5]), times(n[7], n[7]));
}

// Σσ²σ'², the sum of the squared minors.
__device__ __forceinline__ REAL sum_of_minors(const REAL *n) {
    REAL minors[9] = {
        fma(n[4], n[8], -(n[5] * n[7])), fma(n[3], n[8], -(n[5] * n[6])), fma(n[3], n[7], -(n[4] * n[6])),
        fma(n[1], n[8], -(n[2] * n[7])), fma(n[0], n[8], -(n[2] * n[6])), fma(n[0], n[7], -(n[1] * n[6])),
        fma(n[1], n[5], -(n[2] * n[4])), fma(n[0], n[5], -(n[2] * n[3])), fma(n[0], n[4], -(n[1] * n[3]))};
    return sum_of_squares(minors);
}

// s = Σσ given Σσ², Σσ²σ'² and Πσ: the root of s² = Σσ² + 2√(Σσ²σ'² + 2sΠσ), by Newton's method from above.
__device__ __forceinline__ REAL sum_of_three(REAL first, REAL second, REAL third) {
    REAL s = sqrt(3 * first);
    for (int k = 0; k < 3; k++) {
        REAL p = sqrt(fma(2 * third, s, second)), q = sqrt(fma((REAL)2, p, first));
        REAL pq = p * q, rest = pq - third;
        s = rest > 0 ? s - (s - q) * pq / rest : q;
    }
    return s;
}

__device__ __forceinline__ REAL gap(const REAL *p, const REAL *q) {
    REAL n[9];
    product(p, q, n);
    REAL s = sum_of_three(sum_of_squares(n), sum_of_minors(n), p[6] * q[6]), traces = p[7] + q[7];
    REAL plain = fma((REAL)-2, s, traces);
    return plain > FAR * traces && traces > TINY ? plain : near_gap(p, q, s, plain);
}

__device__ __forceinline__ REAL least_gap(const REAL *p, const REAL *q) {
    REAL x = p[8] - q[8], y = p[9] - q[9], z = p[10] - q[10];  // Σ(√λ_k(A) − √λ_k(B))² ≤ dcov²
    return fma(x, x, fma(y, y, z * z));
}
