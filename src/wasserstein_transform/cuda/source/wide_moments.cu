// Moments over neighborhoods, for many COLUMNS.
#include "wide.h"

struct Near {
    Geometry geometry;
    const double *weights;
    int i, profile;
    double limit, scale;

    __device__ __forceinline__ double operator()(Index k, int &j) const {
        j = (int)k;
        if (profile == FLAT) return seen<true>(geometry, weights, i, k, limit, profile, scale);
        return seen<false>(geometry, weights, i, k, limit, profile, scale);
    }
};

// Mass and means of the positions rows[begin] to rows[end - 1], stored by point, counted from `first`.
extern "C" __global__ void __launch_bounds__(SIZE) first_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    int i = (int)rows[begin + blockIdx.x];
    Near near{{metric, (REAL)lam}, weights, i, (int)profile, limit, scale};
    add_moments<false>(near, runs + 2 * n_runs * cell[i], n_runs, i, order[i] - first, points, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void __launch_bounds__(SIZE) second_moments(const REAL *metric, double lam, const Index *cell, const Index *runs, Index n_runs, const Index *rows, Index begin, Index end, const Index *order, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    int i = (int)rows[begin + blockIdx.x];
    Near near{{metric, (REAL)lam}, weights, i, (int)profile, limit, scale};
    add_moments<true>(near, runs + 2 * n_runs * cell[i], n_runs, i, order[i] - first, points, mass, means, covs);
}
