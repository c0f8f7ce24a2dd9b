// Complex numbers in memory <-> vectors of their real and of their imaginary parts.
#pragma once

#include <bit>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/complex.hpp"
#include "device/butterflies.hpp"
#include "device/level.hpp"

namespace whorl::device {

// Interleaved complex numbers, a vector a and a vector b <-> real and imaginary parts. Shuffles stay within
// 16 bytes, which is cheapest; join() undoes the order of lanes that this gives.
template <class Real, class V, int... l>
WHORL_INLINE Split<V> parted(const V& a, const V& b, std::integer_sequence<int, l...>) {
    constexpr int lanes = sizeof...(l), of_16 = 16 / static_cast<int>(sizeof(Real)), half = of_16 / 2;
    // Lane l of the parts is number l % half of the same 16 bytes of a or, in their second half, of b.
    constexpr auto source = [](int lane) {
        const int within = lane % of_16;
        return lane - within + 2 * (within % half) + (within / half) * lanes;
    };
    return {__builtin_shufflevector(a, b, source(l)...), __builtin_shufflevector(a, b, (source(l) + 1)...)};
}
template <class Real, class V, int... l>
WHORL_INLINE void join(const Split<V>& value, V& a, V& b, std::integer_sequence<int, l...>) {
    constexpr int lanes = sizeof...(l), of_16 = 16 / static_cast<int>(sizeof(Real)), half = of_16 / 2;
    constexpr auto source = [](int lane) {
        const int within = lane % of_16;
        return lane - within + within / 2 + within % 2 * lanes;
    };
    a = __builtin_shufflevector(value.re, value.im, source(l)...);
    b = __builtin_shufflevector(value.re, value.im, (source(l) + half)...);
}

template <class Real, int bytes>
WHORL_INLINE Split<typename VectorOf<Real, bytes>::type> load(const Complex<Real>* from) {
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    typename VectorOf<Real, bytes>::type a, b;
    std::memcpy(&a, from, bytes);
    std::memcpy(&b, from + lanes / 2, bytes);
    return parted<Real>(a, b, std::make_integer_sequence<int, lanes>{});
}

// Stores a whole, aligned vector; with `streams`, past the caches, without reading the old contents.
template <bool streams, class V> WHORL_INLINE void put(void* to, const V& value) {
    if constexpr (streams) {
#ifdef __AVX512F__
        if constexpr (sizeof(V) == 64)
            return _mm512_stream_si512(static_cast<__m512i*>(to), std::bit_cast<__m512i>(value));
#endif
#ifdef __AVX__
        if constexpr (sizeof(V) == 32)
            return _mm256_stream_si256(static_cast<__m256i*>(to), std::bit_cast<__m256i>(value));
#endif
#ifdef __SSE2__
        if constexpr (sizeof(V) == 16)
            return _mm_stream_si128(static_cast<__m128i*>(to), std::bit_cast<__m128i>(value));
#endif
    }
    std::memcpy(to, &value, sizeof value);
}

template <class Real, int bytes, bool streams = false>
WHORL_INLINE void store(Complex<Real>* to, const Split<typename VectorOf<Real, bytes>::type>& value) {
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    typename VectorOf<Real, bytes>::type a, b;
    join<Real>(value, a, b, std::make_integer_sequence<int, lanes>{});
    put<streams>(to, a);
    put<streams>(to + lanes / 2, b);
}

} // namespace whorl::device
