// Gaussians in more than three dimensions, or of sizes outside the range of formulas: a warp or block per matrix or pair.
#include "geometry.h"
#include "numbering.h"
#include "jacobi.h"
#include "bidiagonal.h"
#include "values.h"

// The layout of a row after the means.
#define TRACE M
#define SPECTRUM (M + 1)
#define FACTOR (2 * M + 1)  // L, M × M: A = LLᵀ, with orthogonal columns of decreasing length

// Rows of Gaussians with covariances divided by `unit`: eigenvectors and roots of eigenvalues by Jacobi's method.
extern "C" __global__ void fill_solid_rows(const double *means, const double *covs, const double *center, double unit, double *rows) {
    SHARED(double, G);
    double *sizes = G + M * W, *row = rows + blockIdx.x * (Index)K;
    const double *cov = covs + blockIdx.x * (Index)(M * M);
    double trace = 0;
    for (int a = 0; a < M; a++) trace += cov[a * M + a] / unit;
    int exponent, lane = lane_number();
    frexp(trace, &exponent);
    int half = max(exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2), -510);
    double scale = ldexp(1.0, -2 * half), back = ldexp(1.0, half);  // scaled to about 1 by a power of 4
    for (int e = threadIdx.x; e < M * M; e += blockDim.x) G[e / M * W + e % M] = cov[e] / unit * scale;
    __syncthreads();
    orthogonalize(G, nullptr);  // each row is now an eigenvector times its eigenvalue
    for (int k = warp_number(); k < M; k += WARPS) {
        double size = sqrt(row_product(G + k * W, G + k * W));
        if (lane == 0) sizes[k] = size;
    }
    __syncthreads();
    double most = 0;
    for (int k = 0; k < M; k++) most = max(most, sizes[k]);
    for (int k = warp_number(); k < M; k += WARPS) {
        int place = 0;
        for (int l = 0; l < M; l++) place += sizes[l] > sizes[k] || (sizes[l] == sizes[k] && l < k);
        double root = sizes[k] > 2e-16 * M * most ? sqrt(sizes[k]) : 0;  // smaller values are rounding errors of 0
        for (int a = lane; a < M; a += 32) row[FACTOR + a * M + place] = root > 0 ? G[k * W + a] / root * back : 0;
        if (lane == 0) row[SPECTRUM + place] = root * back, row[k] = means[blockIdx.x * (Index)M + k] - center[k];
    }
    if (threadIdx.x == 0) row[TRACE] = trace;
}

// The numbers i < j of the pairs from `first` on.
extern "C" __global__ void list_pairs(Index n, Index first, Index count, Index *rows, Index *cols) {
    Index k = thread_number();
    if (k < count) pair_of_number(first + k, n, rows[k], cols[k]);
}

// out[l][k] = column l of L_A times column k of L_B, times `unit`; several rows at a time, by all warps of a block.
__device__ inline void multiply(const double *A, const double *B, double unit, double *out) {
    const int several = 8, n_warps = blockDim.x / 32;
    for (int k = lane_number(); k < M; k += 32)
        for (int l = several * warp_number(); l < M; l += several * n_warps) {
            double total[several] = {};
            for (int a = 0; a < M; a++) {
                double factor = B[a * M + k];
                for (int r = 0; r < several; r++) total[r] = fma(A[a * M + min(l + r, M - 1)], factor, total[r]);
            }
            for (int r = 0; r < several; r++)
                if (l + r < M) out[(l + r) * W + k] = total[r] * unit;
        }
    __syncthreads();
}

// The bidiagonal matrix with the singular values of L_BᵀL_A, a column of `diagonals` for each pair: M entries of the
// diagonal, and M of the superdiagonal.
extern "C" __global__ void fold_pairs(const double *points, double lam, const Index *rows, const Index *cols, Index n, double *diagonals) {
    SHARED(double, G);
    Index k = blockIdx.x, i = min(rows[k], cols[k]), j = max(rows[k], cols[k]);
    multiply(points + i * K + FACTOR, points + j * K + FACTOR, 1.0, G);
    fold(G, G + M * W, diagonals + k, n);
}

// Distances from these by the trace formula; −1 if it is not accurate enough, or the values are not found.
extern "C" __global__ void add_values(const double *points, double lam, const Index *rows, const Index *cols, Index n, const double *diagonals, double *out) {
    Index k = thread_number();
    if (k >= n) return;
    const double *p = points + rows[k] * K, *q = points + cols[k] * K;
    double traces = p[TRACE] + q[TRACE], values = sum_of_values(diagonals + k, n), plain = traces - 2 * values;
    out[k] = values >= 0 && plain > 1e-5 * traces ? sqrt(fma(lam, plain, apart(p, q))) : -1;
}

__device__ inline bool same_factors(const double *A, const double *B) {
    bool same = true;
    for (int e = lane_number(); e < M * M; e += 32) same = same && A[e] == B[e];
    return __all_sync(ALL, same);
}

// ‖L_A − L_BQ‖² · unit, Q the polar factor: row l of G is s_l u_l, row l of X is L_A v_l, where L_BᵀL_A = U S Vᵀ.
__device__ inline double procrustes(const double *G, const double *X, const double *q, double largest, double unit) {
    double total = 0, matched = 0, n_known = 0, all = 0, root = sqrt(unit);
    int rank = 0;
    for (int l = 0; l < M; l++) rank += q[SPECTRUM + l] > 0, all = fma(q[SPECTRUM + l] * unit, q[SPECTRUM + l], all);
    for (int l = warp_number(); l < M; l += WARPS) {
        double s = sqrt(row_product(G + l * W, G + l * W));
        bool known = s > 1e-15 * M * largest;
        n_known += known;
        for (int k = lane_number(); k < M; k += 32) {
            double image = 0;
            for (int r = 0; known && r < M; r++) image = fma(q[FACTOR + k * M + r] * root, G[l * W + r], image);
            image = known ? image / s : 0;
            double step = X[l * W + k] - image;
            total = fma(step, step, total), matched = fma(image, image, matched);
        }
    }
    total = sum_of_warps(sum_of_lanes(total));
    double unmatched = all - sum_of_warps(sum_of_lanes(matched));  // the part of B orthogonal to the range of G
    return sum_of_warps(n_known) == rank ? total : total + max(unmatched, 0.0);
}

__device__ __forceinline__ double unit_of(double size) {  // as on the CPU, so that fourth powers do not overflow
    return size < 1e-220 ? 0x1p860 : size < 1e-140 ? 0x1p600 : size < 1e-60 ? 0x1p330 : 1.0;
}

// Distances of the pairs rows[which], cols[which] by Jacobi's method, which is accurate for near matrices.
extern "C" __global__ void turn_pairs(const double *points, double lam, const Index *rows, const Index *cols, const Index *which, double *out) {
    SHARED(double, G);
    double *X = G + M * W;
    Index k = which[blockIdx.x], i = min(rows[k], cols[k]), j = max(rows[k], cols[k]);
    const double *p = points + i * K, *q = points + j * K;
    double traces = p[TRACE] + q[TRACE], unit = unit_of(traces), gap = 0;
    if (!same_factors(p + FACTOR, q + FACTOR)) {
        multiply(p + FACTOR, q + FACTOR, unit, G);
        for (int e = threadIdx.x; e < M * M; e += blockDim.x) X[e % M * W + e / M] = p[FACTOR + e] * sqrt(unit);
        __syncthreads();
        orthogonalize(G, X);
        double largest = 0;
        for (int l = 0; l < M; l++) {
            double s = sqrt(row_product(G + l * W, G + l * W));
            gap += s, largest = max(largest, s);
        }
        gap = traces - 2 * (gap / unit);
        if (!(gap > 1e-5 * traces)) gap = procrustes(G, X, q, largest, unit) / unit;
    }
    if (threadIdx.x == 0) out[k] = sqrt(fma(lam, gap, apart(p, q)));
}
