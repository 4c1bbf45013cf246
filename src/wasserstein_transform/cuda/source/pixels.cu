// Mean shift and the Gaussian Transform of pixels: a thread moves its pixel until it converges; neighbors do not move.
// VALUE is the type of values (float or double), CHANNELS their number per pixel, AXES (2 or 3) those of the grid, SHAPES
// the number of values of a shape, 0 without shapes.
#include "likeness.h"
#define STATE (CHANNELS + SHAPES)
#define BLOCKS CHANNELS > 4 ? 2 : SHAPES > 0 ? 3 : 6  // fewest blocks per multiprocessor, without register spilling
#define RESTS 0
#define SWINGS 1
#define UNFINISHED 2
#define NOTHING __longlong_as_double(0x7ff8000000000000LL)  // NaN

struct Grid {
    int depth, height, width;
    Index n;
};

struct Place {
    int z, y, x;
    Index i;
};

// Windows as runs along the last axis: dz, dy and the half-length of each, one row after the other.
struct Runs {
    const int *dz, *dy, *half;
    int n;
    __device__ Runs(const int *runs, int n) : dz(runs), dy(runs + n), half(runs + 2 * n), n(n) {}
};

// Squared radii, 1/λ, and a bound of all traces.
struct Radii {
    double spatial, range, per, top;
};

struct Sums {
    Index count, places[9];  // Σdz, Σdy, Σdx, Σdz², Σdzdy, Σdzdx, Σdy², Σdydx, Σdx²
    double values[CHANNELS];
};

// The pixel of this thread, of tiles `wide` pixels wide and `blockDim.x / wide` high; false outside the image.
__device__ bool find_place(const Grid &grid, Index first_tile, int wide, Place &place) {
    int thread = (int)threadIdx.x;  // signed: with unsigned arithmetic, NVIDIA's compiler (13.0) loses the right border of windows
    int high = (int)blockDim.x / wide, across = (grid.width + wide - 1) / wide, down = (grid.height + high - 1) / high;
    Index tile = first_tile + blockIdx.x;
    place.z = (int)(tile / ((Index)across * down));
    int left = (int)(tile - place.z * ((Index)across * down));
    place.y = left / across * high + thread / wide;
    place.x = left % across * wide + thread % wide;
    place.i = ((Index)place.z * grid.height + place.y) * grid.width + place.x;
    return place.z < grid.depth && place.y < grid.height && place.x < grid.width;
}

__device__ __forceinline__ void clear(Sums &sums) {
    sums.count = 0;
    for (int k = 0; k < 9; k++) sums.places[k] = 0;
    for (int c = 0; c < CHANNELS; c++) sums.values[c] = 0.0;
}

// Add a run with `count` near pixels, Σdx and Σdx².
__device__ __forceinline__ void add_run(Sums &sums, Index dz, Index dy, Index count, Index along, Index squares) {
    sums.count += count;
    sums.places[0] += count * dz, sums.places[1] += count * dy, sums.places[2] += along;
    if (SHAPES > 0 && AXES == 3) {
        sums.places[3] += count * dz * dz, sums.places[4] += count * dz * dy, sums.places[5] += along * dz;
    }
    if (SHAPES > 0) {
        sums.places[6] += count * dy * dy, sums.places[7] += along * dy, sums.places[8] += squares;
    }
}

#if SHAPES > 0
__device__ __forceinline__ bool is_alike(const double *covs, Index n, Index j, const Own &own, const double *shape, double rest) {
    Shape other;
    for (int k = 0; k < SHAPES; k++) other.entries[k] = covs[k * n + j];
    return are_alike(own, shape, other, rest);
}
#endif

// Sums over the pixels of a window that are near in range and, if required, similar in shape.
template <bool ALIKE>
__device__ __forceinline__ void gather(
    const VALUE *values, const double *covs, const Grid &grid, const Runs &runs, const Place &place, const Radii &radii,
    const double *state, Sums &sums) {
    clear(sums);
#if SHAPES > 0
    const Own own(state + CHANNELS, radii.top);
#endif
    for (int run = 0; run < runs.n; run++) {
        int dz = runs.dz[run], dy = runs.dy[run], half = runs.half[run], z = place.z + dz, y = place.y + dy;
        if (z < 0 || z >= grid.depth || y < 0 || y >= grid.height) continue;
        int first = max(-half, -place.x), last = min(half, grid.width - 1 - place.x), count = 0, along = 0;
        Index squares = 0, at = ((Index)z * grid.height + y) * grid.width + place.x;
        for (int dx = first; dx <= last; dx++) {
            double seen[CHANNELS], gap = 0.0;
            for (int c = 0; c < CHANNELS; c++) {
                seen[c] = values[c * grid.n + at + dx];
                gap += (seen[c] - state[c]) * (seen[c] - state[c]);
            }
            bool counts = gap <= radii.range;
#if SHAPES > 0
            if (ALIKE && counts) {
                double apart = (double)dz * dz + (double)dy * dy + (double)dx * dx;
                double rest = __dmul_rn(radii.spatial - apart, radii.per);
                counts = is_alike(covs, grid.n, at + dx, own, state + CHANNELS, rest);
            }
#endif
            if (counts) {
                count++, along += dx;
                if (SHAPES > 0) squares += (Index)dx * dx;
                for (int c = 0; c < CHANNELS; c++) sums.values[c] += seen[c];
            }
        }
        add_run(sums, dz, dy, count, along, squares);
    }
}

// Detection of cycles by Brent's method: the state equals that after 1, 2, 4, 8 … iterations.
struct Swing {
    double met[STATE], best[STATE], place[3];
    Index count;
    __device__ __forceinline__ void begin(const double *state) {
        for (int k = 0; k < STATE; k++) met[k] = best[k] = state[k];
        count = 0;
    }
    // Keep the state with most neighbors; in a tie that with smaller values, then the smaller shape.
    __device__ __forceinline__ void keep_best(Index seen, const double *state, const double *mean) {
        bool better = seen > count;
        bool open = seen == count;
        for (int k = 0; k < STATE; k++) {
            better |= open && state[k] < best[k];
            open &= state[k] == best[k];
        }
        if (!better) return;
        count = seen;
        for (int k = 0; k < STATE; k++) best[k] = state[k];
        for (int k = 0; k < 3; k++) place[k] = mean[k];
    }
    __device__ __forceinline__ bool is_met(const double *state) const {
        bool same = true;
        for (int k = 0; k < STATE; k++) same &= state[k] == met[k];
        return same;
    }
};

// From sums to the next state and the mean offset. Returns the squared change, without the roots of shapes.
__device__ __forceinline__ double step(const Sums &sums, double *state, double *mean) {
    double count = (double)sums.count, total = 0.0;
    for (int c = 0; c < CHANNELS; c++) {
        double next = sums.values[c] / count;
        total += (next - state[c]) * (next - state[c]);
        state[c] = next;
    }
#if SHAPES > 0
    double shape[SHAPES];
    spread(sums.places, sums.count, shape);
    for (int k = 0; k < SHAPES; k++) {
        if (k < SHAPES - 1) total += (shape[k] - state[CHANNELS + k]) * (shape[k] - state[CHANNELS + k]);
        state[CHANNELS + k] = shape[k];
    }
#endif
    for (int k = 0; k < 3; k++) mean[k] = (double)sums.places[k] / count;
    return total;
}

// The shape of the neighborhood of each pixel, by matrix entry; 0 outside the mask.
extern "C" __global__ void see_shapes(const VALUE *values, const bool *mask, Index masked, Index depth, Index height, Index width, const int *runs, Index n_runs, double range, Index first_tile, Index wide, double *covs) {
#if SHAPES > 0
    Grid grid{(int)depth, (int)height, (int)width, depth * height * width};
    Place place;
    if (!find_place(grid, first_tile, (int)wide, place)) return;
    double state[STATE] = {};
    if (!masked || mask[place.i]) {
        for (int c = 0; c < CHANNELS; c++) state[c] = values[c * grid.n + place.i];
        Sums sums;
        gather<false>(values, covs, grid, Runs(runs, (int)n_runs), place, Radii{0.0, range, 0.0, 0.0}, state, sums);
        if (sums.count > 0) spread(sums.places, sums.count, state + CHANNELS);
    }
    for (int k = 0; k < SHAPES; k++) covs[k * grid.n + place.i] = state[CHANNELS + k];
#endif
}

__device__ __forceinline__ Place place_of(const Grid &grid, Index i) {
    Index row = i / grid.width;
    return Place{(int)(row / grid.height), (int)(row % grid.height), (int)(i - row * grid.width), i};
}

__device__ __forceinline__ void leave(const Place &place, const double *state, const double *mean, double *modes) {
    double *mode = modes + place.i * (AXES + CHANNELS);
    if (AXES == 3) mode[0] = place.z + mean[0];
    mode[AXES - 2] = place.y + mean[1], mode[AXES - 1] = place.x + mean[2];
    for (int c = 0; c < CHANNELS; c++) mode[AXES + c] = state[c];
}

__device__ __forceinline__ void leave_out(const Place &place, double *modes, int *iterations, signed char *ends) {
    for (int k = 0; k < AXES + CHANNELS; k++) modes[place.i * (AXES + CHANNELS) + k] = NOTHING;
    iterations[place.i] = 0, ends[place.i] = RESTS;
}

// Modes, shapes, iterations and status of pixels after `limit` iterations. Pixels of a tile start; listed ones, if there
// is a list, continue after `begun` iterations, a power of 2, when Brent's method stores only the state itself. Radii and
// tolerance are squares. Outside the mask modes are NaN.
extern "C" __global__ void __launch_bounds__(128, BLOCKS) shift(const VALUE *values, const bool *mask, Index masked, const double *covs, Index depth, Index height, Index width, const int *runs, Index n_runs, double spatial, double range, double per, double top, double tol, Index begun, Index limit, const Index *listed, Index n_listed, Index first, Index wide, double *modes, double *shapes, int *iterations, signed char *ends) {
    Grid grid{(int)depth, (int)height, (int)width, depth * height * width};
    Place place;
    if (begun > 0) {
        Index k = first * blockDim.x + thread_number();
        if (k >= n_listed) return;
        place = place_of(grid, listed[k]);
    } else if (!find_place(grid, first, (int)wide, place)) {
        return;
    } else if (masked && !mask[place.i]) {
        return leave_out(place, modes, iterations, ends);
    }
    double state[STATE], mean[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < CHANNELS; c++)
        state[c] = begun > 0 ? modes[place.i * (AXES + CHANNELS) + AXES + c] : (double)values[c * grid.n + place.i];
    for (int k = 0; k < SHAPES; k++) state[CHANNELS + k] = (begun > 0 ? shapes : covs)[k * grid.n + place.i];
    Radii radii{spatial, range, per, top};
    Swing swing;
    swing.begin(state);
    Index mark = begun > 0 ? 2 * begun : 1, done = begun;
    int end = UNFINISHED;
    while (end == UNFINISHED && done < limit) {
        Sums sums;
        gather<(SHAPES > 0)>(values, covs, grid, Runs(runs, (int)n_runs), place, radii, state, sums);
        if (sums.count == 0) {  // no neighbors: the pixel stays
            end = RESTS;
            break;
        }
        done++;
        if (step(sums, state, mean) <= tol) {
            end = RESTS;
            break;
        }
        swing.keep_best(sums.count, state, mean);
        if (swing.is_met(state)) {  // one full cycle: take its best state
            for (int k = 0; k < STATE; k++) state[k] = swing.best[k];
            for (int k = 0; k < 3; k++) mean[k] = swing.place[k];
            end = SWINGS;
        } else if (done == mark) {
            swing.begin(state);
            mark *= 2;
        }
    }
    if (begun == 0 || done > begun) leave(place, state, mean, modes);
    for (int k = 0; k < SHAPES; k++) shapes[k * grid.n + place.i] = state[CHANNELS + k];
    iterations[place.i] = (int)done, ends[place.i] = (signed char)end;
}
