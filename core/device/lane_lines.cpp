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

// What a thread works in, grown when more or longer lines come.
template <class Value, class Real> struct Scratch {
    Buffer<Value> values;               // between the passes
    Buffer<Complex<Real>> edge;         // [row][lane]: the vector in which some rows end
    std::vector<Complex<Real>*> places; // of every row
    int whole = 0;                      // lanes that every row has
    bool aligned = true;                // every row begins on a cache line

    void point_at(const LineRow<Real>* rows, int n, int howmany, int lanes) {
        if (places.size() < static_cast<std::size_t>(n)) {
            edge = Buffer<Complex<Real>>(static_cast<std::size_t>(n) * static_cast<std::size_t>(lanes));
            places.resize(static_cast<std::size_t>(n));
        }
        whole = howmany;
        aligned = true;
        for (int j = 0; j < n; ++j) {
            places[static_cast<std::size_t>(j)] = rows[j].data;
            whole = std::min(whole, rows[j].length);
            aligned = aligned && reinterpret_cast<std::uintptr_t>(rows[j].data) % 64 == 0;
        }
    }

    void fill_edge(const LineRow<Real>* from, int n, int lane, int lanes) {
        for (int j = 0; j < n; ++j) {
            const int left = std::clamp(from[j].length - lane, 0, lanes);
            Complex<Real>* const row = edge.data() + j * lanes;
            std::fill(std::copy_n(from[j].data + lane, left, row), row + lanes, Complex<Real>{0, 0});
        }
    }
    void empty_edge(const LineRow<Real>* to, int n, int lane, int lanes) {
        for (int j = 0; j < n; ++j)
            std::copy_n(edge.data() + j * lanes, std::clamp(to[j].length - lane, 0, lanes),
                        to[j].data + lane);
    }
};

template <class Value, class Real> Scratch<Value, Real>& scratch() {
    thread_local Scratch<Value, Real> of_thread;
    return of_thread;
}

} // namespace

template <class Real>
LaneLines<Real>::LaneLines(LineShape shape, Direction direction)
    : Lines<Real>(shape), direction_(direction), passes_(shape.n) {}

template <class Real>
template <int bytes, class From, class To>
void LaneLines<Real>::group(const From& from, const To& to) const {
    using Value = typename From::Value;
    auto& buffer = scratch<Value, Real>().values;
    const auto n = static_cast<std::size_t>(this->shape_.n);
    if (buffer.size() < n) buffer = Buffer<Value>(n);
    passes_.run(from, to, buffer.data());
}

template <class Real>
template <int bytes, bool swapped>
int LaneLines<Real>::gather_lanes(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next,
                                  int lane, int most) const {
    using Even = EvenRows<Real, bytes, swapped>;
    constexpr int lanes = VectorOf<Real, bytes>::lanes;
    const int n = this->shape_.n;
    auto& work = scratch<typename Even::Value, Real>();
    work.point_at(from, n, this->shape_.howmany, lanes);
    Fetch<Real> fetch{next, next + (next ? n : 0)};
    for (; lane < most; lane += lanes) {
        const Even to{data + lane, this->shape_.stride, this->shape_.dropped()};
        if (lane + lanes > work.whole) {
            work.fill_edge(from, n, lane, lanes);
            group<bytes>(Even{work.edge.data(), lanes, {}}, to);
        } else if (next != nullptr) {
            group<bytes>(AnyRows<Real, bytes, swapped, Access::fetching>{work.places.data(), lane, &fetch},
                         to);
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
    work.point_at(to, n, this->shape_.howmany, lanes);
    for (; lane < most; lane += lanes) {
        const Even from{data + lane, this->shape_.stride, this->shape_.dropped()};
        if (lane + lanes > work.whole) {
            group<bytes>(from, Even{work.edge.data(), lanes, {}});
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
            const EvenRows<Real, bytes, swapped> rows{data + lane, this->shape_.stride,
                                                      this->shape_.dropped()};
            group<bytes>(rows, rows);
        }
        return lane;
    });
}

template class LaneLines<float>;
template class LaneLines<double>;

} // namespace whorl::device
