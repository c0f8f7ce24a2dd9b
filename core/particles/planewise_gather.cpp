#include "particles/planewise_gather.hpp"

#include <algorithm>

#include "particles/particle_set.hpp"
#include "particles/row_gather.hpp"
#include "particles/row_record.hpp"

namespace whorl::particles {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Resizes without keeping values and without spare room.
template <class T> void resize_afresh(std::vector<T>& values, std::size_t size) {
    if (values.capacity() < size) values.clear();
    values.resize(size);
}

} // namespace

template <class Real>
PlanewiseGather<Real>::PlanewiseGather(Ghosts& ghosts, const Interpolation& interpolation,
                                       std::vector<Parity> parities)
    : ghosts_(ghosts), axes_(ghosts.ownership().axes()), interpolation_(interpolation),
      parities_(std::move(parities)), parts_(axes_[2].points == 1 ? 1 : interpolation.points / 2),
      cells_(axes_[2].points + (axes_[2].wall ? 1 : 0)), visits_(at(axes_[2].points)),
      layers_(std::make_unique<Layer[]>(at(cells_))) {
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
void PlanewiseGather<Real>::begin(const device::Cpu& host, const Shown& shown,
                                  std::span<const double> positions) {
    shown_ = shown;
    own_ = positions;
    for (std::size_t a = 0; a < 3; ++a) axes_[a] = ghosts_.ownership().axes()[a].moved(shown.shift[a]);
    ghosts_.exchange(axes_, own_);
    blocks_ = RowBlocks(axes_, interpolation_.points, RowRecord<Real>::rows_of_vector);
    record_numbers_ = RowRecord<Real>::numbers(blocks_, shown.variables);
    const std::size_t room = at(record_numbers_) * at(host.executors());
    if (records_.size() < room) records_ = device::Buffer<Real>(room, host.executors());
    resize_afresh(sums_, count() * parities_.size());
    sort(host);
    sums_of_each_ = LayerBatch::sums_of(static_cast<int>(parities_.size()));
    numbers_of_batch_ = LayerBatch::numbers(parts_, sums_of_each_);
    for (int layer = 0; layer < cells_; ++layer) {
        std::size_t blocks = 0;
        for (int block = 0; block < blocks_.all(); ++block) blocks += held(bin(layer, block)) > 0 ? 1 : 0;
        layers_[at(layer)].begun = false;
        layers_[at(layer)].left = blocks * at(axes_[2].count(interpolation_));
    }
}

// Puts the positions of eight particles side by side; after number `count` the last one is repeated.
template <class Real>
template <class PositionOf>
void PlanewiseGather<Real>::put(int count, const PositionOf& position_of, BatchPositions& to) const {
    for (int i = 0; i < LayerBatch::lanes; ++i) {
        const double* const of = position_of(std::min(i, count - 1));
        for (int a = 0; a < 3; ++a) to[a][i] = of[a];
    }
}

// Finds the bins of particles [begin, end), which are stored in the first count() sums.
template <class Real> void PlanewiseGather<Real>::find_bins(std::size_t begin, std::size_t end) {
    const LayerPlaces places(axes_[2], blocks_);
    for (std::size_t p = begin; p < end; p += LayerBatch::lanes) {
        const int number = static_cast<int>(std::min<std::size_t>(end - p, LayerBatch::lanes));
        BatchPositions positions;
        std::int32_t bins[LayerBatch::lanes];
        put(number, [&](int i) { return position(p + at(i)); }, positions);
        places.bins(positions, bins);
        for (int i = 0; i < number; ++i) sums_[p + at(i)] = bins[i];
    }
}

// A counting sort, with some particles on each thread. The order within a bin is that of particles.
template <class Real> void PlanewiseGather<Real>::sort(const device::Cpu& host) {
    constexpr std::size_t worth_a_thread = 4096;
    const std::size_t bins = at(cells_) * at(blocks_.all()), particles = count();
    const std::size_t threads = std::clamp<std::size_t>(particles / worth_a_thread, 1, at(host.executors()));
    std::vector<std::uint32_t> places(threads * bins, 0);
    const auto on_threads = [&](const auto& work) {
        host.each(static_cast<std::int64_t>(threads), [&](int, std::int64_t t) {
            work(at(t) * particles / threads, (at(t) + 1) * particles / threads, &places[at(t) * bins]);
        });
    };
    const auto bin_of = [&](std::size_t p) { return static_cast<std::size_t>(sums_[p]); };
    on_threads([&](std::size_t begin, std::size_t end, std::uint32_t* numbers) {
        find_bins(begin, end);
        for (std::size_t p = begin; p < end; ++p) ++numbers[bin_of(p)];
    });
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
    on_threads([&](std::size_t begin, std::size_t end, std::uint32_t* to) {
        for (std::size_t p = begin; p < end; ++p) order_[to[bin_of(p)]++] = static_cast<std::uint32_t>(p);
    });
}

template <class Real> RowRecord<Real> PlanewiseGather<Real>::record(int executor) {
    return {blocks_, parities_.data(), shown_.variables, record_of(executor)};
}

template <class Real>
void PlanewiseGather<Real>::take(int executor, const device::RowPoints<Real>& points, const Point& first) {
    record(executor).take(points, first.y);
}

template <class Real> void PlanewiseGather<Real>::end_rows(int executor, const Point& first) {
    const int block = first.y / blocks_.rows;
    record(executor).complete(block);
    visit(executor, first.z, block);
    if (block + 1 < blocks_.count) return;
    record(executor).go_beyond();
    visit(executor, first.z, blocks_.count);
}

// Adds a block to the layers around a plane. Layers that another thread is adding to come later.
template <class Real> void PlanewiseGather<Real>::visit(int executor, int plane, int block) {
    const std::vector<Visit>& visits = visits_[at(plane)];
    std::uint64_t left = 0;
    for (std::size_t i = 0; i < visits.size(); ++i)
        if (held(bin(visits[i].layer, block)) > 0) left |= std::uint64_t{1} << i;
    while (left != 0)
        for (std::size_t i = 0; i < visits.size(); ++i) {
            std::atomic_flag& in_use = layers_[at(visits[i].layer)].in_use;
            if (!(left >> i & 1) || in_use.test(std::memory_order_relaxed) ||
                in_use.test_and_set(std::memory_order_acquire))
                continue;
            gather(executor, visits[i], block);
            in_use.clear(std::memory_order_release);
            left &= ~(std::uint64_t{1} << i);
        }
}

// Calls work(batch, the order of its particles, their number) for those of a bin.
template <class Real>
template <class Work>
void PlanewiseGather<Real>::each_batch(int layer, int block, const Work& work) {
    const std::size_t particles = held(bin(layer, block)), first = batch_of(layer, block);
    const std::uint32_t* const order = order_.data() + begins_[bin(layer, block)];
    for (std::size_t p = 0; p < particles; p += LayerBatch::lanes)
        work(batch(layers_[at(layer)], first + p / LayerBatch::lanes), order + p,
             static_cast<int>(std::min<std::size_t>(particles - p, LayerBatch::lanes)));
}

template <class Real> void PlanewiseGather<Real>::begin_layer(int number) {
    constexpr int lanes = LayerBatch::lanes;
    Layer& layer = layers_[at(number)];
    layer.begun = true;
    layer.batches = take_room(batch_of(number, blocks_.all()) * numbers_of_batch_);
    const LayerPlaces places(axes_[2], blocks_);
    const int cell = number - (axes_[2].wall ? 1 : 0);
    for (int block = 0; block < blocks_.all(); ++block)
        each_batch(number, block, [&](LayerBatch& batch, const std::uint32_t* order, int count) {
            BatchPositions positions;
            put(count, [&](int i) { return position(order[i]); }, positions);
            places.find(positions, cell, block, batch);
            std::fill_n(batch.sums(0, sums_of_each_), parts_ * lanes * sums_of_each_, 0.0);
        });
}

template <class Real> void PlanewiseGather<Real>::end_layer(int number) {
    const std::size_t variables = parities_.size();
    const auto add_up = [&](LayerBatch& batch, const std::uint32_t* order, int count) {
        for (int i = 0; i < count; ++i)
            for (std::size_t v = 0; v < variables; ++v) {
                const std::size_t of_sums = at(i * sums_of_each_) + v;
                double sum = batch.sums(0, sums_of_each_)[of_sums];
                for (int part = 1; part < parts_; ++part) sum += batch.sums(part, sums_of_each_)[of_sums];
                sums_[order[i] * variables + v] = sum;
            }
    };
    for (int block = 0; block < blocks_.all(); ++block) each_batch(number, block, add_up);
    const std::scoped_lock lock(room_);
    free_.push_back(std::move(layers_[at(number)].batches));
}

// Returns the smallest free memory that is large enough. If none is, frees the largest and allocates.
template <class Real> LayerRoom PlanewiseGather<Real>::take_room(std::size_t numbers) {
    const std::scoped_lock lock(room_);
    std::ranges::sort(free_, {}, &LayerRoom::size);
    const auto enough = std::ranges::lower_bound(free_, numbers, {}, &LayerRoom::size);
    if (enough == free_.end()) {
        if (!free_.empty()) free_.pop_back();
        return LayerRoom(numbers);
    }
    LayerRoom room = std::move(*enough);
    free_.erase(enough);
    return room;
}

template <class Real> void PlanewiseGather<Real>::gather(int executor, const Visit& visit, int block) {
    Layer& layer = layers_[at(visit.layer)];
    if (!layer.begun) begin_layer(visit.layer);
    switch (interpolation_.points) {
    case 2:
        gather_of<2>(executor, visit, block);
        break;
    case 4:
        gather_of<4>(executor, visit, block);
        break;
    case 6:
        gather_of<6>(executor, visit, block);
        break;
    default:
        gather_of<8>(executor, visit, block);
    }
    if (--layer.left == 0) end_layer(visit.layer);
}

template <class Real>
template <int n>
void PlanewiseGather<Real>::gather_of(int executor, const Visit& visit, int block) {
    const auto over = [&]<class Gather>(std::type_identity<Gather>) {
        const bool flat = axes_[2].points == 1;
        const typename Gather::Of of{
            interpolation_, blocks_, record_of(executor), parities_.data(), shown_.variables, sums_of_each_,
            visit.l,        flat,    visit.reflected};
        const Gather gather(of);
        const int part = flat ? 0 : visit.l / 2;
        each_batch(visit.layer, block, [&](LayerBatch& batch, const std::uint32_t*, int count) {
            gather.add(batch, part, count);
        });
    };
    if (shown_.variables == 3 && parities_.size() == 3)
        return over(std::type_identity<RowGather<Real, n, 3>>{});
    over(std::type_identity<RowGather<Real, n, 0>>{});
}

// Ends the layers that have not met all their planes, as some of these are on other ranks.
template <class Real> std::span<const double> PlanewiseGather<Real>::finish(const device::Cpu& host) {
    host.each(cells_, [&](int, std::int64_t number) {
        Layer& layer = layers_[at(number)];
        if (layer.left == 0) return;
        if (!layer.begun) begin_layer(static_cast<int>(number));
        end_layer(static_cast<int>(number));
        layer.left = 0;
    });
    const std::span<double> all = sums_, own = all.first(own_.size() / 3 * parities_.size());
    ghosts_.give_back(all.subspan(own.size()), own, parities_.size());
    return own;
}

template class PlanewiseGather<float>;
template class PlanewiseGather<double>;

} // namespace whorl::particles
