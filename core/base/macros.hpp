// Markers that let host and device compilers share one source.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define WHORL_INLINE __host__ __device__ inline
#define WHORL_CALL __host__ __device__
#define WHORL_ANYWHERE __host__ __device__ inline
#define WHORL_DEVICE __device__
#define WHORL_DEVICE_CALL __device__ __noinline__
#define WHORL_APART __host__ __device__ __noinline__
#else
// A call in the loop over a row would prevent vectorisation.
#define WHORL_INLINE __attribute__((always_inline)) inline
// Marks functions that are long and called seldom enough to stay calls.
#define WHORL_CALL __attribute__((noinline))
// Marks functions that are calls on a GPU, too, whose registers are not to be those of the caller.
#define WHORL_APART __attribute__((noinline))
// The compiler decides.
#define WHORL_ANYWHERE inline
// Marks functions of threads that work together (device/block_plan.hpp), on the device only.
#define WHORL_DEVICE
#define WHORL_DEVICE_CALL
#endif

// Marks a lambda that is the body of a loop.
#define WHORL_INSIDE __attribute__((always_inline))
