// Squared distances, SIDE × SIDE at a time, in shared memory: by a block of THREADS, with some rows per warp and two
// columns per lane.
#define SIDE 64
#define WIDE (SIDE + 1)  // odd, to avoid bank conflicts
#define THREADS 256
#define BLOCKS (METRIC == SPACE || M > 3 ? 2 : 4)  // fewest blocks per multiprocessor
#define EACH (SIDE / (THREADS / 32))  // rows per warp

struct Sides {  // the points of rows and those of columns
    const REAL *rows;
    Index n_rows;
    const REAL *cols;
    Index n_cols;
};

#if METRIC == CLOUD && M > 3
#define PART 8  // coordinates at a time

__device__ __forceinline__ void load_part(const REAL *points, Index n, Index first, int start, REAL *out) {
    for (int e = threadIdx.x; e < SIDE * PART; e += THREADS) {
        int a = start + e % PART;
        out[e / PART * (PART + 1) + e % PART] = a < M ? points[min(first + e / PART, n - 1) * M + a] : 0;
    }
}

__device__ __forceinline__ void fill_tile(const Sides &sides, REAL lam, Index top, Index left, bool rooted, REAL *tile) {
    __shared__ REAL rows[SIDE * (PART + 1)], cols[SIDE * (PART + 1)];
    int lane = threadIdx.x % 32, first = threadIdx.x / 32 * EACH;
    REAL one[EACH] = {}, two[EACH] = {};
    for (int start = 0; start < M; start += PART) {
        __syncthreads();
        load_part(sides.rows, sides.n_rows, top, start, rows);
        load_part(sides.cols, sides.n_cols, left, start, cols);
        __syncthreads();
        for (int a = 0; a < PART; a++) {
            REAL x = cols[lane * (PART + 1) + a], y = cols[(lane + 32) * (PART + 1) + a];
#pragma unroll
            for (int r = 0; r < EACH; r++) {
                REAL z = rows[(first + r) * (PART + 1) + a];
                one[r] = fma(z - x, z - x, one[r]), two[r] = fma(z - y, z - y, two[r]);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        tile[(first + r) * WIDE + lane] = rooted ? sqrt(one[r]) : one[r];
        tile[(first + r) * WIDE + lane + 32] = rooted ? sqrt(two[r]) : two[r];
    }
    __syncthreads();
}
#else
// The squares, or the distances; rows and columns beyond the last repeat the last.
__device__ __forceinline__ void fill_tile(const Sides &sides, REAL lam, Index top, Index left, bool rooted, REAL *tile) {
    __shared__ REAL rows[SIDE * K];
    int lane = threadIdx.x % 32, first = threadIdx.x / 32 * EACH;
    __syncthreads();
    for (int e = threadIdx.x; e < SIDE * K; e += THREADS) rows[e] = sides.rows[min(top + e / K, sides.n_rows - 1) * K + e % K];
    __syncthreads();
#pragma unroll 1
    for (int c = lane; c < SIDE; c += 32) {
        REAL col[K];
        for (int a = 0; a < K; a++) col[a] = sides.cols[min(left + c, sides.n_cols - 1) * K + a];
#pragma unroll 1
        for (int r = first; r < first + EACH; r++) {
            REAL found = squared_between(rows + r * K, col, lam);
            tile[r * WIDE + c] = rooted ? sqrt(found) : found;
        }
    }
    __syncthreads();
}
#endif
