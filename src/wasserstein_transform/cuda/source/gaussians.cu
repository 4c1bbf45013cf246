// The data of Gaussians for distances: a row for each, computed once.
#include "geometry.h"
#include "roots.h"

// Rows of Gaussians with covariances divided by `unit` and means relative to `center`.
extern "C" __global__ void fill_rows(const double *means, const double *covs, const double *center, Index n, double unit, double lam, REAL *rows) {
    Index i = thread_number();
    if (i >= n) return;
    REAL *row = rows + i * K;
    for (int a = 0; a < M; a++) row[a] = (REAL)(means[i * M + a] - center[a]);
    fill_shape(covs + i * M * M, unit, lam, row + M);
}
