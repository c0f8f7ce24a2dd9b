#include "device/lane_lines.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

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

template <class Real, int bytes>
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
    std::memcpy(to, &a, bytes);
    std::memcpy(to + VectorOf<Real, bytes>::lanes / 2, &b, bytes);
}

// Rows of a pass: the caller's lines (backward swaps real and imaginary parts, which conjugates the roots)
// ...
template <class Real, int bytes, bool swapped> struct LineRows {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    Complex<Real>* data;
    std::int64_t stride;
    WHORL_INLINE Value get(int row) const {
        const Value value = load<Real, bytes>(data + row * stride);
        return swapped ? Value{value.im, value.re} : value;
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        store<Real, bytes>(data + row * stride, swapped ? Value{value.im, value.re} : value);
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

// Two halves of `rows` vectors each, kept by every thread and grown when a longer line comes.
template <class Value> Value* scratch(std::size_t rows) {
    thread_local Buffer<Value> buffer;
    if (buffer.size() < 2 * rows) buffer = Buffer<Value>(2 * rows);
    return buffer.data();
}

} // namespace

template <class Real>
LaneLines<Real>::LaneLines(LineShape shape, Direction direction) : shape_(shape), direction_(direction) {
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

template <class Real> template <int bytes> void LaneLines<Real>::group(Complex<Real>* data) const {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    const auto rows = static_cast<std::size_t>(shape_.n);
    Value* const first = scratch<Value>(rows);
    const ScratchRows<Real, bytes> halves[2] = {{first}, {first + rows}};
    const auto run = [&](const auto& lines) {
        const std::size_t last = passes_.size() - 1;
        for (std::size_t i = 0; i <= last; ++i) {
            const Pass& pass = passes_[i];
            const auto go = [&](const auto& from, const auto& to) {
                run_pass(pass.radix, pass.m, pass.s, pass.twiddles.data(), from, to);
            };
            if (last == 0)
                go(lines, lines);
            else if (i == 0)
                go(lines, halves[0]);
            else if (i == last)
                go(halves[(i - 1) % 2], lines);
            else
                go(halves[(i - 1) % 2], halves[i % 2]);
        }
    };
    if (direction_ == Direction::forward)
        run(LineRows<Real, bytes, false>{data, shape_.stride});
    else
        run(LineRows<Real, bytes, true>{data, shape_.stride});
}

template <class Real> void LaneLines<Real>::execute(Complex<Real>* data) const {
    constexpr int lanes = 2 * half_lanes;
    int at = 0;
    for (; at + half_lanes < shape_.howmany; at += lanes) group<64>(data + at);
    for (; at < shape_.howmany; at += half_lanes) group<32>(data + at);
}

template class LaneLines<float>;
template class LaneLines<double>;

} // namespace whorl::device
