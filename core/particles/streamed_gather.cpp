#include "particles/streamed_gather.hpp"

#include <algorithm>
#include <cstring>

#include "particles/cloud.hpp"
#include "particles/row_gather.hpp"

namespace whorl::particles {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Rows are whole vectors.
template <class Real> WHORL_INLINE void copy_row(const Real* from, Real* to, int rows) {
    using Vector = typename device::VectorOf<Real, device::vector_bytes>::type;
    for (int r = 0; r < rows; r += device::vector_bytes / static_cast<int>(sizeof(Real)))
        *reinterpret_cast<Vector*>(to + r) = *reinterpret_cast<const Vector*>(from + r);
}

// So many, whatever they are, and no room for more.
template <class T> void resize_afresh(std::vector<T>& values, std::size_t size) {
    if (values.capacity() < size) values.clear();
    values.resize(size);
}

} // namespace

template <class Real>
StreamedGather<Real>::StreamedGather(const std::array<GridAxis, 3>& axes, const Interpolation& interpolation,
                                     std::vector<Parity> parities)
    : unmoved_(axes), axes_(axes), interpolation_(interpolation), parities_(std::move(parities)),
      parts_(axes[2].points == 1 ? 1 : interpolation.points / 2),
      cells_(axes[2].points + (axes[2].wall ? 1 : 0)), visits_(at(axes[2].points)),
      in_use_(std::make_unique<InUse[]>(at(cells_))) {
    find_visits();
}

template <class Real> void StreamedGather<Real>::find_visits() {
    const GridAxis& z = axes_[2];
    const int stencil = z.count(interpolation_), below = z.wall ? 1 : 0;
    for (int number = 0; number < cells_; ++number)
        for (int l = 0; l < stencil; ++l) {
            bool reflected = false;
            const int plane = stencil == 1 ? 0 : z.folded(number - below - stencil / 2 + 1 + l, reflected);
            visits_[at(plane)].push_back({number, l, reflected});
        }
}

template <class Real>
std::array<GridAxis, 3> StreamedGather<Real>::axes(const std::array<double, 3>& shift) const {
    return {unmoved_[0].moved(shift[0]), unmoved_[1].moved(shift[1]), unmoved_[2].moved(shift[2])};
}

template <class Real>
void StreamedGather<Real>::begin(const device::Cpu& host, const Shown& shown, std::span<const double> own,
                                 std::span<const double> guests) {
    shown_ = shown;
    axes_ = axes(shown.shift);
    own_ = own;
    guests_ = guests;
    const std::int64_t row = 1LL * shown.variables * axes_[0].points;
    blocks_ = RowBlocks(shown.rows, axes_[1].points, interpolation_.points, row);
    slots_each_ = blocks_.slots() * shown.rows * row;
    const std::size_t room = at(slots_each_) * at(host.executors());
    if (slots_.size() < room) slots_ = device::Buffer<Real>(room, host.executors());
    sort(host);
    resize_afresh(sums_, count() * parities_.size() * at(parts_));
    in_parts(host, sums_.size(), [&](std::size_t i) { sums_[i] = 0.0; });
}

template <class Real> std::size_t StreamedGather<Real>::bin_of(const double* position) const {
    const GridAxis& y = axes_[1];
    const int block = blocks_.complete_at(y, interpolation_.points, y.cell(y.place(position[1])));
    return at(number_of(axes_[2].place(position[2]))) * at(blocks_.count) + at(block);
}

// By counting, some particles on each thread; the order within a bin is that of particles.
template <class Real> void StreamedGather<Real>::sort(const device::Cpu& host) {
    constexpr std::size_t worth_a_thread = 4096;
    const std::size_t bins = at(cells_) * at(blocks_.count), particles = count();
    const std::size_t threads = std::clamp<std::size_t>(particles / worth_a_thread, 1, at(host.executors()));
    std::vector<std::uint32_t> places(threads * bins, 0);
    const auto on_threads = [&](const auto& work) {
        host.each(static_cast<std::int64_t>(threads), [&](int, std::int64_t t) {
            std::uint32_t* const of_thread = &places[at(t) * bins];
            for (std::size_t p = at(t) * particles / threads; p < (at(t) + 1) * particles / threads; ++p)
                work(p, of_thread[bin_of(position(p))]);
        });
    };
    on_threads([](std::size_t, std::uint32_t& number) { ++number; });
    begins_.resize(bins + 1);
    std::uint32_t sum = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        begins_[bin] = sum;
        for (std::size_t t = 0; t < threads; ++t) {
            const std::uint32_t number = std::exchange(places[t * bins + bin], sum);
            sum += number;
        }
    }
    begins_[bins] = sum;
    resize_afresh(order_, particles);
    on_threads([&](std::size_t p, std::uint32_t& to) { order_[to++] = static_cast<std::uint32_t>(p); });
}

template <class Real>
void StreamedGather<Real>::take(int executor, const device::RowPoints<Real>& points, const Point& first) {
    const std::int64_t rows = points.rows, variable = axes_[0].points * rows;
    Real* const to = slots(executor) + blocks_.offsets[at(blocks_.of(first.y))];
    for (int v = 0; v < shown_.variables; ++v) {
        const Real* const from = points.data + v * points.stride;
        Real* const of_variable = to + v * variable;
        for (int i = 0; i < points.points; ++i)
            copy_row(from + i * rows, of_variable + points.x(i) * rows, points.rows);
    }
}

// Rows of cells that another thread is adding to come later.
template <class Real> void StreamedGather<Real>::end_rows(int executor, const Point& first) {
    const std::vector<Visit>& visits = visits_[at(first.z)];
    std::uint64_t left = 0;
    const auto bin_of = [&](const Visit& visit) {
        return at(visit.cells) * at(blocks_.count) + at(blocks_.of(first.y));
    };
    for (std::size_t i = 0; i < visits.size(); ++i)
        if (begins_[bin_of(visits[i])] < begins_[bin_of(visits[i]) + 1]) left |= std::uint64_t{1} << i;
    while (left != 0)
        for (std::size_t i = 0; i < visits.size(); ++i) {
            std::atomic_flag& in_use = in_use_[at(visits[i].cells)].flag;
            if (!(left >> i & 1) || in_use.test(std::memory_order_relaxed) ||
                in_use.test_and_set(std::memory_order_acquire))
                continue;
            gather(executor, visits[i], bin_of(visits[i]));
            in_use.clear(std::memory_order_release);
            left &= ~(std::uint64_t{1} << i);
        }
}

template <class Real> void StreamedGather<Real>::gather(int executor, const Visit& visit, std::size_t bin) {
    switch (interpolation_.points) {
    case 2:
        return gather_of<2>(executor, visit, bin);
    case 4:
        return gather_of<4>(executor, visit, bin);
    case 6:
        return gather_of<6>(executor, visit, bin);
    default:
        gather_of<8>(executor, visit, bin);
    }
}

template <class Real>
template <int n>
void StreamedGather<Real>::gather_of(int executor, const Visit& visit, std::size_t bin) {
    const auto over = [&]<class Gather>(std::type_identity<Gather>) {
        const typename Gather::Of of{
            interpolation_,
            axes_,
            blocks_,
            slots(executor),
            parities_.data(),
            shown_.variables,
            static_cast<int>(parities_.size()),
            own_.data(),
            guests_.data(),
            static_cast<std::uint32_t>(own_.size() / 3),
            &sums_[at(axes_[2].points == 1 ? 0 : visit.l / 2) * count() * parities_.size()],
            visit.cells - (axes_[2].wall ? 1 : 0),
            visit.l,
            visit.reflected};
        Gather(of).add(&order_[begins_[bin]], order_.data() + begins_[bin + 1],
                       static_cast<int>(bin % at(blocks_.count)));
    };
    if (shown_.variables == 3) return over(std::type_identity<RowGather<Real, n, 3>>{});
    over(std::type_identity<RowGather<Real, n, 0>>{});
}

template <class Real> std::span<double> StreamedGather<Real>::finish(const device::Cpu& host) {
    const std::size_t each = count() * parities_.size();
    in_parts(host, each, [&](std::size_t i) {
        for (std::size_t part = 1; part < at(parts_); ++part) sums_[i] += sums_[part * each + i];
    });
    return {sums_.data(), each};
}

template class StreamedGather<float>;
template class StreamedGather<double>;

} // namespace whorl::particles
