// Weight of a neighbor by a profile, a function of t = d²/ε².
#include "geometry.h"
#include "profiles.h"

__device__ __forceinline__ double profile_value(int profile, double t) {
    if (profile == GAUSSIAN) return t < 1400 ? exp(-0.5 * t) : 0.0;  // for larger t it would be denormal
    if (profile == EPANECHNIKOV) return fmax(1 - t, 0.0);
    if (profile == TRIANGLE) return fmax(1 - sqrt(t), 0.0);
    return profile == FLAT ? 1.0 : nan("");
}

// The weight of position j times the profile, 0 outside the closed ball of squared radius `limit`.
template <bool IS_FLAT>
__device__ __forceinline__ double seen(const Geometry &geometry, const double *weights, Index i, Index j, double limit, int profile, double scale) {
    double apart = i == j ? 0 : squared_within(geometry, i, j, limit);
    if (apart > limit) return 0;
    return IS_FLAT ? weights[j] : weights[j] * profile_value(profile, apart * scale);
}
