// Common definitions. Kernels take integers as `Index` and floats as `double`; arrays are contiguous.
#ifndef SHARED
#define SHARED(type, name)                  \
    extern __shared__ __align__(16) char shared_bytes_[]; \
    type *name = (type *)shared_bytes_
#endif
#ifndef REAL
#define REAL double  // type of the computation: double or float
#endif
typedef long long Index;

__device__ __forceinline__ Index thread_number() { return (Index)blockIdx.x * blockDim.x + threadIdx.x; }
