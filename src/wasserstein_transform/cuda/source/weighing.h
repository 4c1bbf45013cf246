// Weight of a neighbor by a profile, a function of t = d²/ε².
#include "geometry.h"
#define FLAT 0
#define GAUSSIAN 1
#define EPANECHNIKOV 2
#define TRIANGLE 3

__device__ __forceinline__ double profile_value(int profile, double t) {
    if (profile == GAUSSIAN) return t < 1400 ? exp(-0.5 * t) : 0.0;  // for larger t it would be denormal
    if (profile == EPANECHNIKOV) return fmax(1 - t, 0.0);
    return fmax(1 - sqrt(t), 0.0);
}

// The weight of position j times the profile, 0 outside the closed ball of squared radius `limit`.
template <bool IS_FLAT>
__device__ __forceinline__ double seen(const Geometry &geometry, const double *weights, Index i, Index j, double limit, int profile, double scale) {
    double apart = i == j ? 0 : squared_within(geometry, i, j, limit);
    if (apart > limit) return 0;
    return IS_FLAT ? weights[j] : weights[j] * profile_value(profile, apart * scale);
}
