// Markers that let one source serve host and device compilers.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define WHORL_INLINE __host__ __device__ inline
#define WHORL_CALL __host__ __device__
#define WHORL_ANYWHERE __host__ __device__ inline
#define WHORL_DEVICE __device__
#define WHORL_DEVICE_CALL __device__ __noinline__
#else
// A call left in a row's loop would keep it from being vectorised.
#define WHORL_INLINE __attribute__((always_inline)) inline
// Long and seldom enough to stay a call.
#define WHORL_CALL __attribute__((noinline))
// As the compiler likes.
#define WHORL_ANYWHERE inline
// Of threads that work together (device/block_plan.hpp): on the device alone.
#define WHORL_DEVICE
#define WHORL_DEVICE_CALL
#endif

#define WHORL_RESTRICT __restrict__
// Of a lambda that is the body of a loop.
#define WHORL_INSIDE __attribute__((always_inline))
