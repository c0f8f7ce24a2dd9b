// What the instruction level this is compiled for offers to lines (docs/lines.md).
#pragma once

namespace whorl::device {

// Bytes of a vector.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

// Of the butterflies of lines in vectors: one of radix r holds 2 r of them at once, beside roots of unity,
// and what does not fit the processor's 16 or 32 goes through memory. Where there are
// 32, radix 16 takes them all (docs/lines.md).
inline constexpr int largest_own_radix = 8;

// `bytes` of reals, a lane each.
template <class Real, int bytes> struct VectorOf {
    typedef Real type __attribute__((vector_size(bytes)));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
};

} // namespace whorl::device
