#include "device/lane_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>

#include "device/lane_steps.hpp"

namespace whorl::device {

template <class Real> LaneSteps<Real>::LaneSteps(int n, Order order) : n_(n) {
    std::vector<int> all = radices(n, largest_own_radix);
    if (order == Order::falling) std::ranges::reverse(all);
    if (order == Order::falling && all.size() == 1) all.push_back(1);
    last_radix_ = all.back();
    results_ = {0};
    int m = n, spread = 1;
    for (auto radix = all.begin(); radix + 1 != all.end(); ++radix) {
        Step step{*radix, m / *radix, {}};
        for (int p = 0; p < step.m; ++p)
            for (int u = 1; u < step.radix; ++u) {
                const double angle = 2.0 * std::numbers::pi * p * u / m;
                step.twiddles.push_back(static_cast<Real>(std::cos(angle)));
                step.twiddles.push_back(static_cast<Real>(std::sin(angle)));
            }
        // Line u of this step holds the results u + radix times those of its own lines.
        std::vector<int> results;
        for (const int result : results_)
            for (int u = 0; u < step.radix; ++u) results.push_back(result + spread * u);
        results_ = std::move(results);
        spread *= step.radix;
        m = step.m;
        steps_.push_back(std::move(step));
    }
}

template <class Real> std::vector<int> LaneSteps<Real>::positions() const {
    const int groups = n_ / last_radix_;
    std::vector<int> positions(static_cast<std::size_t>(n_));
    for (int group = 0; group < groups; ++group)
        for (int u = 0; u < last_radix_; ++u)
            positions[static_cast<std::size_t>(result(group) + groups * u)] = group * last_radix_ + u;
    return positions;
}

template class LaneSteps<float>;
template class LaneSteps<double>;

} // namespace whorl::device

// Complex numbers in memory <-> vectors of their real and of their imaginary parts.

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

// Stores a whole, aligned vector; with `past_caches`, past the caches, without reading the old contents.
template <bool past_caches, class V> WHORL_INLINE void put(void* to, const V& value) {
    if constexpr (past_caches) {
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

template <class Real, int bytes, bool past_caches = false>
WHORL_INLINE void store(Complex<Real>* to, const Split<typename VectorOf<Real, bytes>::type>& value) {
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    typename VectorOf<Real, bytes>::type a, b;
    join<Real>(value, a, b, std::make_integer_sequence<int, lanes>{});
    put<past_caches>(to, a);
    put<past_caches>(to + lanes / 2, b);
}

} // namespace whorl::device

namespace whorl::device {

namespace {

// Rows of the caller at equal distances. A backward transform swaps real and imaginary parts, which
// conjugates the roots.
template <class Real, int bytes, bool swapped> struct EvenRows {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    Complex<Real>* data;
    std::int64_t stride;
    Dropped dropped; // modes that a backward transform does not read, or a forward one does not write

    WHORL_INLINE Value get(int row) const {
        if (swapped && dropped.has(row)) return Value{};
        return swap_parts(load<Real, bytes>(data + row * stride));
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        if (swapped || !dropped.has(row)) store<Real, bytes>(data + row * stride, swap_parts(value));
    }
    static WHORL_INLINE Value swap_parts(const Value& a) { return swapped ? Value{a.im, a.re} : a; }
};

// Rows anywhere, read from lane `lane` on.
template <class Real, int bytes, bool swapped> struct ReadRows {
    using Even = EvenRows<Real, bytes, swapped>;
    using Value = typename Even::Value;
    Complex<Real>* const* rows;
    int lane;
    Dropped dropped;

    WHORL_INLINE Value get(int row) const {
        if (swapped && dropped.has(row)) return Value{};
        return Even::swap_parts(load<Real, bytes>(rows[row] + lane));
    }
};
// Rows anywhere, written from lane `lane` on, past the caches with `past_caches`.
template <class Real, int bytes, bool swapped> struct WrittenRows {
    using Even = EvenRows<Real, bytes, swapped>;
    using Value = typename Even::Value;
    Complex<Real>* const* rows;
    int lane;
    bool past_caches;

    WHORL_INLINE void set(int row, const Value& value) const {
        if (past_caches)
            store<Real, bytes, true>(rows[row] + lane, Even::swap_parts(value));
        else
            store<Real, bytes, false>(rows[row] + lane, Even::swap_parts(value));
    }
};

// Rows that are read or written while as many others are fetched. Wide vectors fetch at both ends of a
// transform, which gives memory more time than one end would.
template <class Rows, class Real, int bytes> struct WhileFetching {
    using Value = typename Rows::Value;
    Rows rows;
    Fetch<Real>& next;

    WHORL_INLINE Value get(int row) const {
        next((bytes + 63) / 64);
        return rows.get(row);
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        if constexpr (bytes >= 64) next(bytes / 64);
        rows.set(row, value);
    }
};

// The scratch memory of an executor: rows between the steps, the vectors in which rows end, and the address
// at which every row is read or written.
template <class Value, class Real> struct Scratch {
    static constexpr int lanes = static_cast<int>(sizeof(Value) / sizeof(Complex<Real>));
    Value* values;
    Complex<Real>* edge; // [row][lane]
    Complex<Real>** rows;

    Scratch(Complex<Real>* memory, int n)
        : values(reinterpret_cast<Value*>(memory)), edge(memory + static_cast<std::ptrdiff_t>(n) * lanes),
          rows(reinterpret_cast<Complex<Real>**>(edge + static_cast<std::ptrdiff_t>(n) * lanes)) {}

    void point_at(const LineRow<Real>* from, int n) const {
        for (int j = 0; j < n; ++j) rows[j] = from[j].data;
    }
    // Points at every row from `lane` on or, if it has fewer than `lanes` numbers there, at a copy padded
    // with zeroes.
    void point_at_present(const LineRow<Real>* from, int n, int lane) const {
        for (int j = 0; j < n; ++j) {
            const int left = from[j].length - lane;
            Complex<Real>* const row = edge + j * lanes;
            rows[j] = left >= lanes ? from[j].data + lane : row;
            if (left >= lanes) continue;
            const int present = left > 0 ? left : 0;
            std::fill(std::copy_n(from[j].data + (present > 0 ? lane : 0), present, row), row + lanes,
                      Complex<Real>{0, 0});
        }
    }
    void point_at_edge(int n) const {
        for (int j = 0; j < n; ++j) rows[j] = edge + j * lanes;
    }
    void empty_edge(const LineRow<Real>* to, int n, int lane) const {
        for (int j = 0; j < n; ++j)
            if (to[j].length > lane)
                std::copy_n(edge + j * lanes, std::min(to[j].length - lane, lanes), to[j].data + lane);
    }
};

// The number of lanes that every row has.
template <class Real> int common_length(const LineRow<Real>* rows, int n, Dropped dropped) {
    int length = std::numeric_limits<int>::max();
    for (int j = 0; j < n; ++j)
        if (!dropped.has(j)) length = std::min(length, rows[j].length);
    return length;
}
template <class Real> bool on_vectors(const LineRow<Real>* rows, int n) {
    return std::all_of(rows, rows + n, [](const LineRow<Real>& row) {
        return reinterpret_cast<std::uintptr_t>(row.data) % vector_bytes == 0;
    });
}

} // namespace

template <class Real>
LanePlan<Real>::LanePlan(LineShape shape, Direction direction)
    : LinePlan<Real>(shape), direction_(direction), steps_(shape.n),
      fold_(traits_of(shape.basis).walled ? shape.n : 0), positions_(steps_.positions()) {}

template <class Real>
template <bool swapped, class Value, class From, class To>
void LanePlan<Real>::transform(const From& from, const To& to, Value* scratch) const {
    const int n = this->shape_.n;
    const Dropped dropped = this->shape_.dropped();
    const Basis basis = this->shape_.basis;
    const bool sine = traits_of(basis).sine;
    const ScratchRows<Value> line{scratch};
    if (!traits_of(basis).walled) {
        steps_.run(from, to, scratch);
    } else if constexpr (swapped) {
        fold_.begin(from, line, dropped, basis);
        steps_.first(line, line);
        steps_.middle(line);
        steps_.last(line, FoldedPoints<To>{to, n, sine});
    } else {
        const TableRows<Value> ordered{scratch, positions_.data()};
        steps_.first(FoldedPoints<From>{from, n, sine}, line);
        steps_.middle(line);
        steps_.last(line, ordered);
        fold_.finish(ordered, to, dropped, basis);
    }
}

template <class Real>
template <int bytes, bool swapped>
int LanePlan<Real>::gather_lanes(const LineRow<Real>* from, Complex<Real>* data, Fetch<Real>& next,
                                 Complex<Real>* scratch, int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    using Read = ReadRows<Real, bytes, swapped>;
    constexpr int width = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    const Dropped unread = swapped ? this->shape_.dropped() : Dropped{};
    const Scratch<typename Even::Value, Real> work(scratch, n);
    const int common = common_length(from, n, unread);
    Fetch<Real> fetch = next; // in registers
    work.point_at(from, n);
    for (; lane < most; lane += width) {
        const Even to{data + lane, this->shape_.stride, this->shape_.dropped()};
        const bool everywhere = lane + width <= common;
        if (!everywhere) work.point_at_present(from, n, lane);
        const Read read{work.rows, everywhere ? lane : 0, unread};
        this->template transform<swapped>(WhileFetching<Read, Real, bytes>{read, fetch},
                                          WhileFetching<Even, Real, bytes>{to, fetch}, work.values);
    }
    next = fetch;
    return lane;
}

template <class Real>
template <int bytes>
int LanePlan<Real>::scatter_lanes(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch,
                                  int lane, int most) const {
    using Even = EvenRows<Real, bytes, true>;
    using Written = WrittenRows<Real, bytes, true>;
    constexpr int width = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    const Scratch<typename Even::Value, Real> work(scratch, n);
    const int common = common_length(to, n, {});
    const bool past_caches = this->shape_.past_caches && on_vectors(to, n);
    work.point_at(to, n);
    for (; lane < most; lane += width) {
        const Even from{data + lane, this->shape_.stride, this->shape_.dropped()};
        const bool everywhere = lane + width <= common;
        if (!everywhere) work.point_at_edge(n);
        const Written written{work.rows, everywhere ? lane : 0, everywhere && past_caches};
        this->template transform<true>(from, written, work.values);
        if (!everywhere) work.empty_edge(to, n, lane);
    }
    return lane;
}

// Whole vectors of lanes, then a half vector where that is enough for the rest.
template <class Real> template <class Lanes> void LanePlan<Real>::vectors(const Lanes& of_width) const {
    const int howmany = this->shape_.howmany;
    if constexpr (half_lanes == lanes) {
        of_width.template operator()<vector_bytes>(0, howmany);
    } else {
        const int lane = of_width.template operator()<vector_bytes>(0, howmany - half_lanes);
        if (lane < howmany) of_width.template operator()<vector_bytes / 2>(lane, howmany);
    }
}

template <class Real>
void LanePlan<Real>::gather(const LineRow<Real>* from, Complex<Real>* data, RowsAhead<Real> next,
                            Complex<Real>* scratch) const {
    Fetch<Real> fetch(next);
    vectors([&]<int bytes>(int lane, int most) {
        return direction_ == Direction::forward
                   ? gather_lanes<bytes, false>(from, data, fetch, scratch, lane, most)
                   : gather_lanes<bytes, true>(from, data, fetch, scratch, lane, most);
    });
}

template <class Real>
void LanePlan<Real>::scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const {
    if (direction_ == Direction::forward) return LinePlan<Real>::scatter(data, to, scratch);
    vectors(
        [&]<int bytes>(int lane, int most) { return scatter_lanes<bytes>(data, to, scratch, lane, most); });
}

template <class Real> void LanePlan<Real>::execute(Complex<Real>* data, Complex<Real>* scratch) const {
    const auto run = [&]<int bytes, bool swapped>(int lane, int most) {
        const Scratch<typename EvenRows<Real, bytes, swapped>::Value, Real> work(scratch, this->shape_.n);
        for (; lane < most; lane += VectorOf<Real, bytes>::lanes) {
            const EvenRows<Real, bytes, swapped> rows{data + lane, this->shape_.stride,
                                                      this->shape_.dropped()};
            this->template transform<swapped>(rows, rows, work.values);
        }
        return lane;
    };
    vectors([&]<int bytes>(int lane, int most) {
        return direction_ == Direction::forward ? run.template operator()<bytes, false>(lane, most)
                                                : run.template operator()<bytes, true>(lane, most);
    });
}

template class LanePlan<float>;
template class LanePlan<double>;

} // namespace whorl::device
