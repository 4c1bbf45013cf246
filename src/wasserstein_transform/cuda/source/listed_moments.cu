// Moments over neighborhoods with listed candidates and distances.
#define METRIC 0
#define M 1
#include "wide.h"

struct Listed {
    const Index *members;
    const double *distances, *weights;
    int profile;
    double limit, scale;

    __device__ __forceinline__ double operator()(Index k, int &j) const {
        j = (int)members[k];
        double apart = distances[k] * distances[k];
        if (apart > limit) return 0;
        return profile == FLAT ? weights[j] : weights[j] * profile_value(profile, apart * scale);
    }
};

// Mass and means of the points from `begin` on, stored from `first` on; candidates of point i begin at starts[i].
extern "C" __global__ void __launch_bounds__(SIZE) first_moments(const Index *starts, const Index *members, const double *distances, Index begin, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    Index i = begin + blockIdx.x, run[2] = {starts[i], starts[i + 1]};
    Listed listed{members, distances, weights, (int)profile, limit, scale};
    add_moments<false>(listed, run, 1, (int)i, i - first, points, mass, means, covs);
}

// The same, and covariances.
extern "C" __global__ void __launch_bounds__(SIZE) second_moments(const Index *starts, const Index *members, const double *distances, Index begin, Index first, const double *weights, const double *points, double limit, Index profile, double scale, double *mass, double *means, double *covs) {
    Index i = begin + blockIdx.x, run[2] = {starts[i], starts[i + 1]};
    Listed listed{members, distances, weights, (int)profile, limit, scale};
    add_moments<true>(listed, run, 1, (int)i, i - first, points, mass, means, covs);
}
