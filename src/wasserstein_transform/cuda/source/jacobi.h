// Matrices of up to 64 rows in shared memory, one per block or warp: rows of length M with stride W.
#define W (M | 1)  // odd, to avoid bank conflicts
#define WARPS (M < 16 ? 1 : 4)  // warps of a block that rotates rows
#define ALL 0xffffffff

__device__ __forceinline__ int lane_number() { return threadIdx.x % 32; }
__device__ __forceinline__ int warp_number() { return threadIdx.x / 32; }

// The sum over all lanes, with the same result in each.
__device__ __forceinline__ double sum_of_lanes(double value) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(ALL, value, by);
    return value;
}

__device__ __forceinline__ double most_of_lanes(double value) {
    for (int by = 16; by > 0; by /= 2) value = max(value, __shfl_xor_sync(ALL, value, by));
    return value;
}

// The sum of one number per warp, with the same result in each.
__device__ __forceinline__ double sum_of_warps(double value) {
    __shared__ double each[WARPS];
    __syncthreads();
    if (lane_number() == 0) each[warp_number()] = value;
    __syncthreads();
    double total = each[0];
    for (int w = 1; w < WARPS; w++) total += each[w];
    return total;
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

// Rotate two rows of G to be orthogonal, and those of X, if any, with them; returns whether they were not.
__device__ __forceinline__ bool turn_pair(double *G, double *X, int p, int q) {
    double *x = G + p * W, *y = G + q * W;
    double gamma = row_product(x, y), one = row_product(x, x), other = row_product(y, y);
    if (fabs(gamma) <= 4e-16 * M * sqrt(one) * sqrt(other)) return false;
    double zeta = (other - one) / (2 * gamma), t = 1 / (fabs(zeta) + sqrt(fma(zeta, zeta, 1.0)));
    t = zeta < 0 ? -t : t;
    double c = 1 / sqrt(fma(t, t, 1.0));
    turn_rows(x, y, c, c * t);
    if (X) turn_rows(X + p * W, X + q * W, c, c * t);
    return true;
}

// One-sided Jacobi by a block: all pairs of rows as in a tournament, those of a round at the same time.
__device__ inline void orthogonalize(double *G, double *X) {
    const int n = M + M % 2;  // with an odd number, one row pauses in each round
    for (int sweep = 0; sweep < 60; sweep++) {  // it takes 3 to 10
        bool turned = false;
        for (int round = 0; round < n - 1; round++) {
            for (int k = warp_number(); k < n / 2; k += WARPS) {
                int a = k == 0 ? n - 1 : (round + k) % (n - 1), b = (round - k + n - 1) % (n - 1);
                if (max(a, b) < M) turned = turn_pair(G, X, min(a, b), max(a, b)) || turned;
            }
            __syncthreads();
        }
        if (sum_of_warps(turned ? 1 : 0) == 0) return;
    }
}
