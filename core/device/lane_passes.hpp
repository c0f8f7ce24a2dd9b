// What transforms of lines side by side are made of: vectors of lanes, and the passes of a transform of mixed
// radix by decimation in frequency over rows of them (Van Loan, Computational Frameworks for the FFT, chapter
// 2): n = r m points become r independent lines of m points.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/level.hpp"
#include "device/radices.hpp"

namespace whorl::device {

// `bytes` of reals, a lane each.
template <class Real, int bytes> struct VectorOf {
    typedef Real type __attribute__((vector_size(bytes)));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
};

// Interleaved complex numbers a, b of a vector each <-> real and imaginary parts. Shuffles stay within 16
// bytes, which is the cheapest there are: lanes are in an order of their own, which join() undoes.
template <class Real, class V, int... l>
WHORL_INLINE Split<V> parted(const V& a, const V& b, std::integer_sequence<int, l...>) {
    constexpr int lanes = sizeof...(l), of_16 = 16 / static_cast<int>(sizeof(Real)), half = of_16 / 2;
    // Lane l of the parts: complex number l % half of those that a, then b, has in its 16 bytes.
    constexpr auto place = [](int lane) {
        const int within = lane % of_16;
        return lane - within + 2 * (within % half) + (within / half) * lanes;
    };
    return {__builtin_shufflevector(a, b, place(l)...), __builtin_shufflevector(a, b, (place(l) + 1)...)};
}
template <class Real, class V, int... l>
WHORL_INLINE void join(const Split<V>& value, V& a, V& b, std::integer_sequence<int, l...>) {
    constexpr int lanes = sizeof...(l), of_16 = 16 / static_cast<int>(sizeof(Real)), half = of_16 / 2;
    constexpr auto place = [](int lane) {
        const int within = lane % of_16;
        return lane - within + within / 2 + within % 2 * lanes;
    };
    a = __builtin_shufflevector(value.re, value.im, place(l)...);
    b = __builtin_shufflevector(value.re, value.im, (place(l) + half)...);
}

template <class Real, int bytes>
WHORL_INLINE Split<typename VectorOf<Real, bytes>::type> load(const Complex<Real>* from) {
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    typename VectorOf<Real, bytes>::type a, b;
    std::memcpy(&a, from, bytes);
    std::memcpy(&b, from + lanes / 2, bytes);
    return parted<Real>(a, b, std::make_integer_sequence<int, lanes>{});
}

// A whole vector to an aligned place; `streams`: past the cache, without reading what lay there.
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

// Rows of a pass in scratch, in order ...
template <class V> struct ScratchRows {
    using Value = V;
    V* data;
    WHORL_INLINE V get(int row) const { return data[row]; }
    WHORL_INLINE void set(int row, const V& value) const { data[row] = value; }
    WHORL_INLINE ScratchRows from(int row) const { return {data + row}; }
};
// ... or where a table says.
template <class V> struct TableRows {
    using Value = V;
    V* data;
    const int* places;
    WHORL_INLINE V get(int row) const { return data[places[row]]; }
    WHORL_INLINE void set(int row, const V& value) const { data[places[row]] = value; }
    WHORL_INLINE TableRows from(int row) const { return {data, places + row}; }
};

// The radices of a line's passes as radices() has them, or the other way round, in two passes at least.
enum class Order { rising, falling };

// Lines of n points in passes of small radices, in place but for the last, which also puts the results in
// order.
template <class Real> class LanePasses {
  public:
    explicit LanePasses(int n, Order order = Order::rising);
    int points() const { return n_; }
    int last_radix() const { return last_radix_; }
    // The first result of a group of last_radix() points; the others follow every n / last_radix().
    int place(int group) const { return places_[static_cast<std::size_t>(group)]; }
    const int* places() const { return places_.data(); }

    // Where in the line the last pass finds what becomes each result.
    std::vector<int> slots() const;

    // From rows through n values of scratch to rows. All of `from` is read before `to` is written.
    template <class Value, class From, class To>
    void run(const From& from, const To& to, Value* scratch) const {
        const ScratchRows<Value> line{scratch};
        first(from, line);
        middle(line);
        last(line, to);
    }

    // The first pass, or a copy if the first is the last.
    template <class From, class Line> void first(const From& from, const Line& line) const;
    // All between the first and the last, in place.
    template <class Line> void middle(const Line& line) const;
    template <class Line, class To> void last(const Line& line, const To& to) const;
    // Butterfly p of the first pass, of this radix, on its points p + m t, t = 0, 1, ...
    template <int radix, class Value> void first_of(int p, const Value* points, Value* results) const;

  private:
    struct Pass {
        int radix, m;
        std::vector<Real> twiddles; // [p][u - 1], cos then sin
    };
    // b[p + m u] = w^(p u) sum_t a[p + m t] exp(-2 pi i t u / r),  w = exp(-2 pi i / (m r)),  p < m
    template <int radix, class From, class To>
    static WHORL_INLINE void butterfly(const Pass& pass, int p, const From& from, const To& to) {
        const int m = pass.m;
        typename From::Value a[radix];
        for (int t = 0; t < radix; ++t) a[t] = from.get(p + m * t);
        turn<radix>(pass, p, a);
        for (int u = 0; u < radix; ++u) to.set(p + m * u, a[u]);
    }
    template <int radix, class Value> static WHORL_INLINE void turn(const Pass& pass, int p, Value* a) {
        const Real* const w = pass.twiddles.data() + 2 * static_cast<std::int64_t>(p) * (radix - 1);
        Butterfly<radix, Real>::run(a);
        for (int u = 1; u < radix; ++u) a[u] = turned(a[u], w[2 * u - 2], w[2 * u - 1]);
    }

    int n_;
    std::vector<Pass> passes_; // but the last
    int last_radix_;
    std::vector<int> places_;
};

template <class Real>
template <class From, class Line>
void LanePasses<Real>::first(const From& from, const Line& line) const {
    if (passes_.empty()) {
        for (int j = 0; j < n_; ++j) line.set(j, from.get(j));
        return;
    }
    with_radix<largest_own_radix>(passes_[0].radix, [&](auto radix) {
        for (int p = 0; p < passes_[0].m; ++p) butterfly<radix>(passes_[0], p, from, line);
    });
}

template <class Real> template <class Line> void LanePasses<Real>::middle(const Line& line) const {
    for (std::size_t i = 1; i < passes_.size(); ++i) {
        const Pass& pass = passes_[i];
        with_radix<largest_own_radix>(pass.radix, [&](auto radix) {
            for (int base = 0; base < n_; base += pass.m * radix)
                for (int p = 0; p < pass.m; ++p) butterfly<radix>(pass, p, line.from(base), line.from(base));
        });
    }
}

template <class Real>
template <class Line, class To>
void LanePasses<Real>::last(const Line& line, const To& to) const {
    with_radix<largest_own_radix>(last_radix_, [&](auto radix) {
        const int groups = n_ / radix;
        for (int group = 0; group < groups; ++group) {
            typename Line::Value a[radix];
            for (int t = 0; t < radix; ++t) a[t] = line.get(group * radix + t);
            Butterfly<radix, Real>::run(a);
            for (int u = 0; u < radix; ++u) to.set(place(group) + groups * u, a[u]);
        }
    });
}

template <class Real>
template <int radix, class Value>
void LanePasses<Real>::first_of(int p, const Value* points, Value* results) const {
    // Part by part: copies of whole arrays would become calls.
    Value a[radix];
    unrolled<radix>([&](auto t) { a[t] = {points[t].re, points[t].im}; });
    turn<radix>(passes_[0], p, a);
    unrolled<radix>([&](auto u) {
        results[u].re = a[u].re;
        results[u].im = a[u].im;
    });
}

} // namespace whorl::device
