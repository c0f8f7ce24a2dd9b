#include "device/lane_lines.hpp"

#include <algorithm>

namespace whorl::device {

namespace {

// Rows of a pass: the caller's at equal distances (backward swaps real and imaginary parts, which conjugates
// the roots), ...
template <class Real, int bytes, bool swapped> struct EvenRows {
    using Value = Split<typename VectorOf<Real, bytes>::type>;
    Complex<Real>* data;
    std::int64_t stride;
    Dropped dropped; // of the modes: what a backward transform reads, or a forward one writes

    WHORL_INLINE Value get(int row) const {
        if (swapped && dropped.has(row)) return Value{};
        return swap_parts(load<Real, bytes>(data + row * stride));
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        if (swapped || !dropped.has(row)) store<Real, bytes>(data + row * stride, swap_parts(value));
    }
    static WHORL_INLINE Value swap_parts(const Value& a) { return swapped ? Value{a.im, a.re} : a; }
};

// Fetches rows in the order of memory, some cache lines at a time: in any other order the processor's own
// prefetching would not join in.
template <class Real> struct Fetch {
    static constexpr int line = 64 / static_cast<int>(sizeof(Complex<Real>));
    const LineRow<Real>* row;
    const LineRow<Real>* end;
    int at = 0;

    WHORL_INLINE void fetch(int lines) {
        if (row == end) return;
        for (int i = 0; i < lines; ++i) __builtin_prefetch(row->data + at + i * line, 0, 2);
        at += lines * line;
        if (at >= row->length) {
            at = 0;
            ++row;
        }
    }
};

// ... or anywhere, from lane `lane`: read while those that come next are fetched, or written past the cache.
enum class Access { plain, fetching, streaming };
template <class Real, int bytes, bool swapped, Access access> struct AnyRows {
    using Even = EvenRows<Real, bytes, swapped>;
    using Value = typename Even::Value;
    Complex<Real>* const* rows;
    int lane;
    Fetch<Real>* next;

    WHORL_INLINE Value get(int row) const {
        if constexpr (access == Access::fetching) next->fetch(bytes / 32);
        return Even::swap_parts(load<Real, bytes>(rows[row] + lane));
    }
    WHORL_INLINE void set(int row, const Value& value) const {
        store<Real, bytes, access == Access::streaming>(rows[row] + lane, Even::swap_parts(value));
    }
};

// What an executor lends: rows between the passes, the vector in which some rows end, places of the rows.
template <class Value, class Real> struct Scratch {
    static constexpr int lanes = static_cast<int>(sizeof(Value) / sizeof(Complex<Real>));
    Value* values;
    Complex<Real>* edge;    // [row][lane]
    Complex<Real>** places; // of every row
    int whole = 0;          // lanes that every row has
    bool aligned = true;    // every row begins on a cache line

    Scratch(Complex<Real>* memory, int n)
        : values(reinterpret_cast<Value*>(memory)), edge(memory + static_cast<std::ptrdiff_t>(n) * lanes),
          places(reinterpret_cast<Complex<Real>**>(edge + static_cast<std::ptrdiff_t>(n) * lanes)) {}

    void point_at(const LineRow<Real>* rows, int n, int howmany) {
        whole = howmany;
        for (int j = 0; j < n; ++j) {
            places[j] = rows[j].data;
            whole = std::min(whole, rows[j].length);
            aligned = aligned && reinterpret_cast<std::uintptr_t>(rows[j].data) % 64 == 0;
        }
    }

    void fill_edge(const LineRow<Real>* from, int n, int lane) {
        for (int j = 0; j < n; ++j) {
            const int left = std::clamp(from[j].length - lane, 0, lanes);
            Complex<Real>* const row = edge + j * lanes;
            std::fill(std::copy_n(from[j].data + lane, left, row), row + lanes, Complex<Real>{0, 0});
        }
    }
    void empty_edge(const LineRow<Real>* to, int n, int lane) {
        for (int j = 0; j < n; ++j)
            std::copy_n(edge + j * lanes, std::clamp(to[j].length - lane, 0, lanes), to[j].data + lane);
    }
};

} // namespace

template <class Real>
LaneLines<Real>::LaneLines(LineShape shape, Direction direction)
    : Lines<Real>(shape), direction_(direction), passes_(shape.n),
      fold_(shape.basis == Basis::fourier ? 0 : shape.n), slots_(passes_.slots()) {}

template <class Real>
template <bool swapped, class Value, class From, class To>
void LaneLines<Real>::transform(const From& from, const To& to, Value* scratch) const {
    const int n = this->shape_.n;
    const Dropped dropped = this->shape_.dropped();
    const Basis basis = this->shape_.basis;
    const ScratchRows<Value> line{scratch};
    if (basis == Basis::fourier) {
        passes_.run(from, to, scratch);
    } else if constexpr (swapped) {
        fold_.begin(from, line, dropped, basis);
        passes_.first(line, line);
        passes_.middle(line);
        if (basis != Basis::cosine)
            passes_.last(line, FoldedPoints<true, To>{to, n});
        else
            passes_.last(line, FoldedPoints<false, To>{to, n});
    } else {
        const TableRows<Value> ordered{scratch, slots_.data()};
        if (basis != Basis::cosine)
            passes_.first(FoldedPoints<true, From>{from, n}, line);
        else
            passes_.first(FoldedPoints<false, From>{from, n}, line);
        passes_.middle(line);
        passes_.last(line, ordered);
        fold_.finish(ordered, to, dropped, basis);
    }
}

template <class Real>
template <int bytes, bool swapped>
int LaneLines<Real>::gather_lanes(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next,
                                  Complex<Real>* scratch, int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    Scratch<typename Even::Value, Real> work(scratch, n);
    work.point_at(from, n, this->shape_.howmany);
    Fetch<Real> fetch{next, next + (next ? n : 0)};
    for (; lane < most; lane += lanes) {
        const Even to{data + lane, this->shape_.stride, this->shape_.dropped()};
        if (lane + lanes > work.whole) {
            work.fill_edge(from, n, lane);
            this->template transform<swapped>(Even{work.edge, lanes, {}}, to, work.values);
        } else if (next != nullptr) {
            this->template transform<swapped>(
                AnyRows<Real, bytes, swapped, Access::fetching>{work.places, lane, &fetch}, to, work.values);
        } else {
            this->template transform<swapped>(
                AnyRows<Real, bytes, swapped, Access::plain>{work.places, lane, nullptr}, to, work.values);
        }
    }
    return lane;
}

template <class Real>
template <int bytes, bool swapped>
int LaneLines<Real>::scatter_lanes(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch,
                                   int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    Scratch<typename Even::Value, Real> work(scratch, n);
    work.point_at(to, n, this->shape_.howmany);
    for (; lane < most; lane += lanes) {
        const Even from{data + lane, this->shape_.stride, this->shape_.dropped()};
        if (lane + lanes > work.whole) {
            this->template transform<swapped>(from, Even{work.edge, lanes, {}}, work.values);
            work.empty_edge(to, n, lane);
        } else if (work.aligned) {
            this->template transform<swapped>(
                from, AnyRows<Real, bytes, swapped, Access::streaming>{work.places, lane, nullptr},
                work.values);
        } else {
            this->template transform<swapped>(
                from, AnyRows<Real, bytes, swapped, Access::plain>{work.places, lane, nullptr}, work.values);
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
void LaneLines<Real>::gather(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next,
                             Complex<Real>* scratch) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        return gather_lanes<bytes, swapped>(from, data, next, scratch, lane, most);
    });
}

template <class Real>
void LaneLines<Real>::scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        return scatter_lanes<bytes, swapped>(data, to, scratch, lane, most);
    });
}

template <class Real> void LaneLines<Real>::execute(Complex<Real>* data, Complex<Real>* scratch) const {
    vectors([&]<int bytes, bool swapped>(int lane, int most) {
        const Scratch<typename EvenRows<Real, bytes, swapped>::Value, Real> work(scratch, this->shape_.n);
        for (; lane < most; lane += VectorOf<Real, bytes>::lanes) {
            const EvenRows<Real, bytes, swapped> rows{data + lane, this->shape_.stride,
                                                      this->shape_.dropped()};
            this->template transform<swapped>(rows, rows, work.values);
        }
        return lane;
    });
}

template class LaneLines<float>;
template class LaneLines<double>;

} // namespace whorl::device
