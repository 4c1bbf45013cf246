// Matrices of up to 64 rows in shared memory, a warp for each: rows of length M at a distance of W.
#define W (M | 1)  // odd: rows and columns of a matrix lie in different banks
#define ALL 0xffffffff

__device__ __forceinline__ int lane_number() { return threadIdx.x % 32; }

// The sum over all lanes, the same for each of them.
__device__ __forceinline__ double sum_of_lanes(double value) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(ALL, value, by);
    return value;
}

__device__ __forceinline__ double most_of_lanes(double value) {
    for (int by = 16; by > 0; by /= 2) value = max(value, __shfl_xor_sync(ALL, value, by));
    return value;
}

// x · y of rows of length M.
__device__ __forceinline__ double row_product(const double *x, const double *y) {
    double total = 0;
    for (int k = lane_number(); k < M; k += 32) total = fma(x[k], y[k], total);
    return sum_of_lanes(total);
}

__device__ __forceinline__ void turn_rows(double *x, double *y, double c, double s) {
    for (int k = lane_number(); k < M; k += 32) {
        double a = x[k], b = y[k];
        x[k] = c * a - s * b, y[k] = s * a + c * b;
    }
}

// One-sided Jacobi: the rows of G are turned until they are orthogonal, and those of X, if any, with them.
__device__ inline void orthogonalize(double *G, double *X) {
    for (int sweep = 0; sweep < 60; sweep++) {  // it takes 3 to 10
        bool quiet = true;
        for (int p = 0; p < M - 1; p++)
            for (int q = p + 1; q < M; q++) {
                double *x = G + p * W, *y = G + q * W;
                double gamma = row_product(x, y), one = row_product(x, x), other = row_product(y, y);
                if (fabs(gamma) <= 4e-16 * M * sqrt(one) * sqrt(other)) continue;
                quiet = false;
                double zeta = (other - one) / (2 * gamma), t = 1 / (fabs(zeta) + sqrt(fma(zeta, zeta, 1.0)));
                t = zeta < 0 ? -t : t;
                double c = 1 / sqrt(fma(t, t, 1.0));
                turn_rows(x, y, c, c * t);
                if (X) turn_rows(X + p * W, X + q * W, c, c * t);
                __syncwarp();
            }
        if (quiet) return;
    }
}
