// What all files share. Kernels take integers as `Index` and floats as `double`; arrays lie in a row.
#ifndef SHARED
#define SHARED(type, name)                  \
    extern __shared__ __align__(16) char shared_bytes_[]; \
    type *name = (type *)shared_bytes_
#endif
#ifndef REAL
#define REAL double  // what is computed in: double, or float
#endif
typedef long long Index;

__device__ __forceinline__ Index thread_number() { return (Index)blockIdx.x * blockDim.x + threadIdx.x; }
