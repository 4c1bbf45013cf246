// Conversion of pixel values to the features by which they are compared, and back. DEPTH is the size of an input value in
// bytes: 1 and 2 are integers, 4 and 8 floats; SPACE is NONE, RGB, LUV or LAB; VALUE is the type of features.
#include "common.h"
#define NONE 0
#define RGB 1
#define LUV 2
#define LAB 3
#define DARK 0.008856  // lightness is linear below this luminance, relative to white
#define SLOPE 903.3

#if DEPTH == 1
typedef unsigned char Pixel;
#elif DEPTH == 2
typedef unsigned short Pixel;
#elif DEPTH == 4
typedef float Pixel;
#else
typedef double Pixel;
#endif

// White, then the matrices to XYZ and back, row by row.
struct Basis {
    const double *white, *there, *back;
    __device__ Basis(const double *numbers) : white(numbers), there(numbers + 3), back(numbers + 12) {}
};

__device__ __forceinline__ void multiply(const double *matrix, const double *from, double *to) {
    for (int k = 0; k < 3; k++) to[k] = matrix[3 * k] * from[0] + matrix[3 * k + 1] * from[1] + matrix[3 * k + 2] * from[2];
}

// u′ and v′; black has those of white.
__device__ __forceinline__ void chroma(const double *xyz, const double *white, double *uv) {
    double total = xyz[0] + 15.0 * xyz[1] + 3.0 * xyz[2];
    const double *some = total > 0.0 ? xyz : white;
    total = some[0] + 15.0 * some[1] + 3.0 * some[2];
    uv[0] = 4.0 * some[0] / total, uv[1] = 9.0 * some[1] / total;
}

__device__ __forceinline__ void to_xyz(const double *rgb, const Basis &basis, double *xyz) {
    double linear[3];
    for (int k = 0; k < 3; k++) linear[k] = rgb[k] > 0.04045 ? pow((rgb[k] + 0.055) / 1.055, 2.4) : rgb[k] / 12.92;
    multiply(basis.there, linear, xyz);
}

__device__ __forceinline__ void to_luv(const double *rgb, const Basis &basis, double *luv) {
    double xyz[3], uv[2], white[2];
    to_xyz(rgb, basis, xyz);
    chroma(xyz, basis.white, uv), chroma(basis.white, basis.white, white);
    luv[0] = xyz[1] > DARK ? 116.0 * cbrt(xyz[1]) - 16.0 : SLOPE * xyz[1];
    for (int k = 0; k < 2; k++) luv[k + 1] = 13.0 * luv[0] * (uv[k] - white[k]);
}

__device__ __forceinline__ void to_lab(const double *rgb, const Basis &basis, double *lab) {
    double xyz[3];
    to_xyz(rgb, basis, xyz);
    for (int k = 0; k < 3; k++) {
        double share = xyz[k] / basis.white[k];
        xyz[k] = share > DARK ? cbrt(share) : (SLOPE * share + 16.0) / 116.0;
    }
    lab[0] = 116.0 * xyz[1] - 16.0, lab[1] = 500.0 * (xyz[0] - xyz[1]), lab[2] = 200.0 * (xyz[1] - xyz[2]);
}

// Clipped to [0, 1].
__device__ __forceinline__ void to_srgb(const double *xyz, const Basis &basis, double *rgb) {
    multiply(basis.back, xyz, rgb);
    for (int k = 0; k < 3; k++) {
        double linear = rgb[k] < 0.0 ? 0.0 : rgb[k] > 1.0 ? 1.0 : rgb[k];
        rgb[k] = linear > 0.0031308 ? 1.055 * pow(linear, 1 / 2.4) - 0.055 : 12.92 * linear;
    }
}

__device__ __forceinline__ void from_luv(const double *luv, const Basis &basis, double *rgb) {
    double xyz[3] = {0.0, 0.0, 0.0}, white[2], light = luv[0];
    chroma(basis.white, basis.white, white);
    if (light > 0.0) {
        double u = luv[1] / (13.0 * light) + white[0], v = luv[2] / (13.0 * light) + white[1];
        double bent = (light + 16.0) / 116.0, y = light > SLOPE * DARK ? bent * bent * bent : light / SLOPE;
        xyz[0] = 9.0 * u / (4.0 * v) * y, xyz[1] = y, xyz[2] = (12.0 - 3.0 * u - 20.0 * v) / (4.0 * v) * y;
    }
    to_srgb(xyz, basis, rgb);
}

__device__ __forceinline__ void from_lab(const double *lab, const Basis &basis, double *rgb) {
    double y = (lab[0] + 16.0) / 116.0, xyz[3] = {y + lab[1] / 500.0, y, y - lab[2] / 200.0};
    for (int k = 0; k < 3; k++) {
        double cube = xyz[k] * xyz[k] * xyz[k];
        xyz[k] = (cube > DARK ? cube : (116.0 * xyz[k] - 16.0) / SLOPE) * basis.white[k];
    }
    to_srgb(xyz, basis, rgb);
}

// Range features of each color, one row per channel.
extern "C" __global__ void to_features(const Pixel *flat, Index n, Index channels, double full, const double *numbers, VALUE *values) {
    Index i = thread_number();
    if (i >= n) return;
    Basis basis(numbers);
    double rgb[3], out[3];
    for (int k = 0; k < 3; k++) rgb[k] = flat[i * channels + k] / full;
    if (SPACE == LUV) to_luv(rgb, basis, out);
    if (SPACE == LAB) to_lab(rgb, basis, out);
    for (int k = 0; k < 3; k++) values[k * n + i] = (VALUE)(SPACE == RGB ? 255.0 * rgb[k] : out[k]);
}

// The image of given modes, whose last columns are features; pixels outside the mask stay unchanged.
extern "C" __global__ void paint(const double *modes, Index columns, const bool *mask, Index masked, Index n, Index channels, double full, const double *numbers, Pixel *flat) {
    Index i = thread_number();
    if (i >= n || (masked && !mask[i])) return;
    int shown = SPACE == NONE ? (int)channels : 3;
    const double *features = modes + (i + 1) * columns - shown;
    double rgb[3];
    if (SPACE == LUV) from_luv(features, Basis(numbers), rgb);
    if (SPACE == LAB) from_lab(features, Basis(numbers), rgb);
    for (int k = 0; k < shown; k++) {
        double share = features[k] / 255.0;
        if (SPACE == RGB) rgb[k] = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
        double value = SPACE == NONE ? features[k] : rgb[k] * full;
        flat[i * channels + k] = (Pixel)(DEPTH <= 2 ? rint(value) : value);
    }
}
