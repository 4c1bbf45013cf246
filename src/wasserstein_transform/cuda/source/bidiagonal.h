// Householder bidiagonalization of a matrix in shared memory, by a warp. Signs do not matter.

// x becomes a vector v such that I − τvvᵀ maps the old x to a multiple of its first axis: entries first … M−1 of a vector
// with this stride. Returns its norm, and τ.
__device__ __forceinline__ double reflect(double *x, int stride, int first, double *v, double &tau) {
    double total = 0;
    for (int k = first + lane_number(); k < M; k += 32) {
        v[k] = x[k * stride];
        total = fma(v[k], v[k], total);
    }
    double norm = sqrt(sum_of_lanes(total)), head = x[first * stride];
    __syncwarp();
    if (lane_number() == 0) v[first] = head >= 0 ? head + norm : head - norm;
    __syncwarp();
    tau = norm < 1e-100 ? 0 : 1 / (norm * (norm + fabs(head)));
    return norm;
}

// G − τv(vᵀG) along one axis, for entries `first` … M−1: a lane for each line, `along` from one entry of it to the next.
__device__ __forceinline__ void apply(double *G, int along, int across, int first, int first_line, const double *v, double tau) {
    for (int l = first_line + lane_number(); l < M; l += 32) {
        double *line = G + l * across, total = 0;
#pragma unroll 4
        for (int k = first; k < M; k++) total = fma(line[k * along], v[k], total);
        total *= tau;
#pragma unroll 4
        for (int k = first; k < M; k++) line[k * along] = fma(-total, v[k], line[k * along]);
    }
    __syncwarp();
}

// Absolute entries of a bidiagonal matrix with the singular values of G: M of its diagonal, M of its superdiagonal.
__device__ inline void fold(double *G, double *v, double *out, Index stride) {
    double size = 0, tau;
    for (int e = lane_number(); e < M * M; e += 32) size = max(size, fabs(G[e / M * W + e % M]));
    size = most_of_lanes(size);
    double unit = size == 0 || (1e-60 < size && size < 1e60) ? 1 : size;  // otherwise squares would overflow or underflow
    if (unit != 1)
        for (int e = lane_number(); e < M * M; e += 32) G[e / M * W + e % M] /= unit;
    __syncwarp();
    for (int s = 0; s < M; s++) {
        double norm = reflect(G + s, W, s, v, tau), beside = 0;
        apply(G, W, 1, s, s + 1, v, tau);
        if (s + 1 < M) {
            beside = reflect(G + s * W, 1, s + 1, v, tau);
            apply(G, 1, W, s + 1, s + 1, v, tau);
        }
        if (lane_number() == 0) out[s * stride] = norm * unit, out[(M + s) * stride] = beside * unit;
        __syncwarp();
    }
}
