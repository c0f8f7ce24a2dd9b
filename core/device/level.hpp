// What the instruction level this is compiled for offers to lines (docs/lines.md).
#pragma once

namespace whorl::device {

// Bytes of a vector, and how many of them the processor holds at a time.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64, vector_registers = 32;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32, vector_registers = 16;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16, vector_registers = 32;
#else
inline constexpr int vector_bytes = 16, vector_registers = 16;
#endif

// Of the butterflies of lines in vectors: one of radix r holds 2 r of them at once, and what does not fit the
// registers goes through memory.
inline constexpr int largest_own_radix = vector_registers / 2;

// `bytes` of reals, a lane each.
template <class Real, int bytes> struct VectorOf {
    typedef Real type __attribute__((vector_size(bytes)));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
};

} // namespace whorl::device
