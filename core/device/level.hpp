// Vectors and radices of the instruction level this is compiled for (docs/lines.md).
#pragma once

#ifdef WHORL_ANY_LEVEL
#error "This file is compiled for any instruction level (cmake/core.cmake): it must not depend on one."
#endif

namespace whorl::device {

// Bytes of a vector.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

// The largest radix of lines in vectors. A butterfly of radix r holds 2 r vectors at once, besides roots of
// unity. Vectors that do not fit in the processor's 16 or 32 registers go through memory. Radix 16 needs all
// 32 registers (docs/lines.md).
inline constexpr int largest_own_radix = 8;

// A vector of `bytes` bytes, a real number per lane.
template <class Real, int bytes> struct VectorOf {
    typedef Real type __attribute__((vector_size(bytes)));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
};

} // namespace whorl::device
