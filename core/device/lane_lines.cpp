#include "device/lane_lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "base/error.hpp"

namespace whorl::device {

std::vector<int> radices(int n) {
    std::vector<int> result;
    for (const int factor : {7, 5, 3})
        for (; n % factor == 0; n /= factor) result.push_back(factor);
    int bits = 0;
    for (; n % 2 == 0; n /= 2) ++bits;
    WHORL_REQUIRE(n == 1, "lines with a prime factor above 7 have no lane transform.");
    for (int passes = (bits + 3) / 4; passes > 0; --passes) {
        const int of_this = (bits + passes - 1) / passes;
        result.push_back(1 << of_this);
        bits -= of_this;
    }
    return result;
}

namespace {

template <class Real, int bytes> struct VectorOf {
    typedef Real type __attribute__((vector_size(bytes)));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
};

// Interleaved complex numbers <-> real and imaginary parts, `lanes` of them.
template <class Real, int bytes>
WHORL_INLINE Split<typename VectorOf<Real, bytes>::type> load(const Complex<Real>* from) {
    using V = typename VectorOf<Real, bytes>::type;
    V a, b;
    std::memcpy(&a, from, bytes);
    std::memcpy(&b, from + VectorOf<Real, bytes>::lanes / 2, bytes);
    if constexpr (VectorOf<Real, bytes>::lanes == 4)
        return {__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
    else if constexpr (VectorOf<Real, bytes>::lanes == 8)
        return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
                __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)};
    else
        return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
}

// A whole vector to an aligned place; `streams`: past the cache, without reading what lay there.
template <bool streams, class V> WHORL_INLINE void put(void* to, const V& value) {
#ifdef __AVX512F__
    if constexpr (streams && sizeof(V) == 64) {
        _mm512_stream_si512(static_cast<__m512i*>(to), std::bit_cast<__m512i>(value));
        return;
    }
#endif
    std::memcpy(to, &value, sizeof value);
}

template <class Real, int bytes, bool streams = false>
WHORL_INLINE void store(Complex<Real>* to, const Split<typename VectorOf<Real, bytes>::type>& value) {
    using V = typename VectorOf<Real, bytes>::type;
    V a, b;
    if constexpr (VectorOf<Real, bytes>::lanes == 4) {
        a = __builtin_shufflevector(value.re, value.im, 0, 4, 1, 5);
        b = __builtin_shufflevector(value.re, value.im, 2, 6, 3, 7);
    } else if constexpr (VectorOf<Real, bytes>::lanes == 8) {
        a = __builtin_shufflevector(value.re, value.im, 0, 8, 1, 9, 2, 10, 3, 11);
        b = __builtin_shufflevector(value.re, value.im, 4, 12, 5, 13, 6, 14, 7, 15);
    } else {
        a = __builtin_shufflevector(value.re, value.im, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                    23);
        b = __builtin_shufflevector(value.re, value.im, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                    15, 31);
    }
    put<streams>(to, a);
    put<streams>(to + VectorOf<Real, bytes>::lanes / 2, b);
}

// Rows of a pass: the caller's at equal distances (backward swaps real and imaginary parts, which conjugates
// the roots), ...
template <class Real, int bytes, bool swapped> struct EvenRows {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    Complex<Real>* data;
    std::int64_t stride;

    WHORL_INLINE Value get(int row) const { return swap_parts(load<Real, bytes>(data + row * stride)); }
    WHORL_INLINE void set(int row, const Value& value) const {
        store<Real, bytes>(data + row * stride, swap_parts(value));
    }
    static WHORL_INLINE Value swap_parts(const Value& a) { return swapped ? Value{a.im, a.re} : a; }
};
// ... the caller's anywhere, from lane `lane`: read while the same lanes of the rows that come next are
// fetched, or written past the cache ...
enum class Access { plain, fetching, streaming };
template <class Real, int bytes, bool swapped, Access access> struct AnyRows {
    using Even = EvenRows<Real, bytes, swapped>;
    using Value = typename Even::Value;
    Complex<Real>* const* rows;
    int lane;
    const LineRow<Real>* next;

    WHORL_INLINE Value get(int row) const {
        if constexpr (access == Access::fetching) {
            const Complex<Real>* const later = next[row].data + lane;
            __builtin_prefetch(later);
            __builtin_prefetch(later + 64 / sizeof(Complex<Real>));
        }
        return Even::swap_parts(load<Real, bytes>(rows[row] + lane));
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        store<Real, bytes, access == Access::streaming>(rows[row] + lane, Even::swap_parts(value));
    }
};
// ... or scratch.
template <class Real, int bytes> struct ScratchRows {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    Value* data;
    WHORL_INLINE Value get(int row) const { return data[row]; }
    WHORL_INLINE void set(int row, const Value& value) const { data[row] = value; }
};

template <class Real, int radix, class From, class To>
void run_pass(int m, int s, const Real* twiddles, const From& from, const To& to) {
    using Value = typename From::Value;
    for (int p = 0; p < m; ++p) {
        const Real* const w = twiddles + 2 * static_cast<std::int64_t>(p) * (radix - 1);
        for (int q = 0; q < s; ++q) {
            Value a[radix];
            for (int t = 0; t < radix; ++t) a[t] = from.get(q + s * (p + m * t));
            Butterfly<radix, Real>::run(a);
            if (m > 1)
                for (int u = 1; u < radix; ++u) a[u] = turned(a[u], w[2 * u - 2], w[2 * u - 1]);
            for (int u = 0; u < radix; ++u) to.set(q + s * (radix * p + u), a[u]);
        }
    }
}

template <class Real, class From, class To>
void run_pass(int radix, int m, int s, const Real* twiddles, const From& from, const To& to) {
    switch (radix) {
    case 2:
        return run_pass<Real, 2>(m, s, twiddles, from, to);
    case 3:
        return run_pass<Real, 3>(m, s, twiddles, from, to);
    case 4:
        return run_pass<Real, 4>(m, s, twiddles, from, to);
    case 5:
        return run_pass<Real, 5>(m, s, twiddles, from, to);
    case 7:
        return run_pass<Real, 7>(m, s, twiddles, from, to);
    case 8:
        return run_pass<Real, 8>(m, s, twiddles, from, to);
    default:
        return run_pass<Real, 16>(m, s, twiddles, from, to);
    }
}

// What a thread works in, grown when more or longer lines come.
template <class Value, class Real> struct Scratch {
    Buffer<Value> values;               // two halves for the passes between the first and the last
    Buffer<Complex<Real>> edge;         // [row][lane]: the vector in which some rows end
    Buffer<Complex<Real>> nothing;      // zeros for rows without data to read, a place for those not written
    std::vector<Complex<Real>*> places; // of every row
    int whole = 0;                      // lanes that every row with data has
    bool aligned = true;                // every row begins on a cache line

    void fit(int n, int howmany, int lanes) {
        const auto rows = static_cast<std::size_t>(n), width = static_cast<std::size_t>(howmany + lanes);
        if (places.size() < rows) {
            edge = Buffer<Complex<Real>>(rows * static_cast<std::size_t>(lanes));
            places.resize(rows);
        }
        if (nothing.size() < 2 * width) nothing = Buffer<Complex<Real>>(2 * width);
    }

    void point_at(const LineRow<Real>* rows, int n, int howmany, bool written) {
        Complex<Real>* const none = nothing.data() + (written ? nothing.size() / 2 : 0);
        whole = howmany;
        aligned = true;
        for (int j = 0; j < n; ++j) {
            const LineRow<Real> row = rows[j];
            const bool present = row.data != nullptr;
            Complex<Real>* const place = present ? row.data : none;
            places[static_cast<std::size_t>(j)] = place;
            whole = present && row.length < whole ? row.length : whole;
            aligned = aligned && reinterpret_cast<std::uintptr_t>(place) % 64 == 0;
        }
    }

    void fill_edge(const LineRow<Real>* from, int n, int lane, int lanes) {
        for (int j = 0; j < n; ++j) {
            const int left = from[j].data == nullptr ? 0 : std::clamp(from[j].length - lane, 0, lanes);
            Complex<Real>* const row = edge.data() + j * lanes;
            std::fill(std::copy_n(from[j].data + lane, left, row), row + lanes, Complex<Real>{0, 0});
        }
    }
    void empty_edge(const LineRow<Real>* to, int n, int lane, int lanes) {
        for (int j = 0; j < n; ++j) {
            const int left = to[j].data == nullptr ? 0 : std::clamp(to[j].length - lane, 0, lanes);
            std::copy_n(edge.data() + j * lanes, left, to[j].data + lane);
        }
    }
};

template <class Value, class Real> Scratch<Value, Real>& scratch() {
    thread_local Scratch<Value, Real> of_thread;
    return of_thread;
}

} // namespace

template <class Real>
LaneLines<Real>::LaneLines(LineShape shape, Direction direction) : Lines<Real>(shape), direction_(direction) {
    int m = shape.n;
    int s = 1;
    for (const int radix : radices(shape.n)) {
        Pass pass{radix, m / radix, s, {}};
        for (int p = 0; p < pass.m; ++p)
            for (int u = 1; u < radix; ++u) {
                const double angle = 2.0 * std::numbers::pi * p * u / m;
                pass.twiddles.push_back(static_cast<Real>(std::cos(angle)));
                pass.twiddles.push_back(static_cast<Real>(std::sin(angle)));
            }
        passes_.push_back(std::move(pass));
        m /= radix;
        s *= radix;
    }
}

template <class Real>
template <int bytes, class From, class To>
void LaneLines<Real>::group(const From& from, const To& to) const {
    using Value = typename From::Value;
    const auto n = static_cast<std::size_t>(this->shape_.n);
    auto& buffer = scratch<Value, Real>().values;
    if (buffer.size() < 2 * n) buffer = Buffer<Value>(2 * n);
    const ScratchRows<Real, bytes> halves[2] = {{buffer.data()}, {buffer.data() + n}};
    const std::size_t last = passes_.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
        const Pass& pass = passes_[i];
        const auto go = [&](const auto& input, const auto& output) {
            run_pass(pass.radix, pass.m, pass.s, pass.twiddles.data(), input, output);
        };
        if (last == 0)
            go(from, to);
        else if (i == 0)
            go(from, halves[0]);
        else if (i == last)
            go(halves[(i - 1) % 2], to);
        else
            go(halves[(i - 1) % 2], halves[i % 2]);
    }
}

template <class Real>
template <int bytes, bool swapped>
int LaneLines<Real>::gather_lanes(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next,
                                  int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    auto& work = scratch<typename Even::Value, Real>();
    work.fit(n, this->shape_.howmany, lanes);
    work.point_at(from, n, this->shape_.howmany, false);
    for (; lane < most; lane += lanes) {
        const Even to{data + lane, this->shape_.stride};
        if (lane + lanes > work.whole) {
            work.fill_edge(from, n, lane, lanes);
            group<bytes>(Even{work.edge.data(), lanes}, to);
        } else if (next != nullptr) {
            group<bytes>(AnyRows<Real, bytes, swapped, Access::fetching>{work.places.data(), lane, next}, to);
        } else {
            group<bytes>(AnyRows<Real, bytes, swapped, Access::plain>{work.places.data(), lane, nullptr}, to);
        }
    }
    return lane;
}

template <class Real>
template <int bytes, bool swapped>
int LaneLines<Real>::scatter_lanes(Complex<Real>* data, const LineRow<Real>* to, int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    auto& work = scratch<typename Even::Value, Real>();
    work.fit(n, this->shape_.howmany, lanes);
    work.point_at(to, n, this->shape_.howmany, true);
    for (; lane < most; lane += lanes) {
        const Even from{data + lane, this->shape_.stride};
        if (lane + lanes > work.whole) {
            group<bytes>(from, Even{work.edge.data(), lanes});
            work.empty_edge(to, n, lane, lanes);
        } else if (work.aligned) {
            group<bytes>(from,
                         AnyRows<Real, bytes, swapped, Access::streaming>{work.places.data(), lane, nullptr});
        } else {
            group<bytes>(from,
                         AnyRows<Real, bytes, swapped, Access::plain>{work.places.data(), lane, nullptr});
        }
    }
    return lane;
}

// Wide vectors of lanes, then a narrow one where less than half of a wide one would be used.
template <class Real> template <class Lanes> void LaneLines<Real>::vectors(const Lanes& lanes) const {
    const int howmany = this->shape_.howmany;
    const int wide = howmany - half_lanes;
    if (direction_ == Direction::forward) {
        const int lane = lanes.template operator()<64, false>(0, wide);
        if (lane < howmany) lanes.template operator()<32, false>(lane, howmany);
    } else {
        const int lane = lanes.template operator()<64, true>(0, wide);
        if (lane < howmany) lanes.template operator()<32, true>(lane, howmany);
    }
}

template <class Real>
void LaneLines<Real>::gather(const LineRow<Real>* from, Complex<Real>* data,
                             const LineRow<Real>* next) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        return gather_lanes<bytes, swapped>(from, data, next, lane, most);
    });
}

template <class Real> void LaneLines<Real>::scatter(Complex<Real>* data, const LineRow<Real>* to) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        return scatter_lanes<bytes, swapped>(data, to, lane, most);
    });
}

template <class Real> void LaneLines<Real>::execute(Complex<Real>* data) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        for (; lane < most; lane += VectorOf<Real, bytes>::lanes) {
            const EvenRows<Real, bytes, swapped> rows{data + lane, this->shape_.stride};
            group<bytes>(rows, rows);
        }
        return lane;
    });
}

template class LaneLines<float>;
template class LaneLines<double>;

} // namespace whorl::device
