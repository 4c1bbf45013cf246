// Numbers whose sums and products are rounded separately, as on the host: the compiler never fuses two of them.
// A difference of products that is 0 on the host is then 0 here as well, and so is its root.
#include "common.h"

struct Rounded {
    double number;
    __device__ __forceinline__ Rounded(double number) : number(number) {}
};

__device__ __forceinline__ Rounded operator+(Rounded a, Rounded b) { return __dadd_rn(a.number, b.number); }
__device__ __forceinline__ Rounded operator-(Rounded a, Rounded b) { return __dsub_rn(a.number, b.number); }
__device__ __forceinline__ Rounded operator*(Rounded a, Rounded b) { return __dmul_rn(a.number, b.number); }
__device__ __forceinline__ Rounded operator/(Rounded a, Rounded b) { return a.number / b.number; }
__device__ __forceinline__ bool operator>(Rounded a, Rounded b) { return a.number > b.number; }
__device__ __forceinline__ bool operator<(Rounded a, Rounded b) { return a.number < b.number; }
__device__ __forceinline__ Rounded root(Rounded a) { return sqrt(a.number); }
__device__ __forceinline__ Rounded positive(Rounded a) { return a.number > 0.0 ? a.number : 0.0; }
