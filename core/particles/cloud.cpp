#include "particles/cloud.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "exchange/items.hpp"

namespace whorl::particles {

void Cloud::add(std::int64_t id, std::span<const double> positions) {
    ids_.push_back(id);
    for (std::size_t r = 0; r < registers_.size(); ++r)
        for (std::size_t a = 0; a < 3; ++a) registers_[r].push_back(positions[3 * r + a]);
}

void Cloud::advance(const device::Cpu& host, const Stage& stage, double dt,
                    std::span<const double> velocities, const std::array<double, 3>& drift) {
    constexpr std::size_t part = 3 * 256; // numbers at a time, in the first cache
    const std::size_t registers = registers_.size(), all = velocities.size();
    host.each(static_cast<std::int64_t>((all + part - 1) / part), [&](int, std::int64_t number) {
        const std::size_t begin = static_cast<std::size_t>(number) * part,
                          length = std::min(part, all - begin);
        std::array<double, part> rate;
        for (std::size_t i = 0; i < length; ++i) rate[i] = dt * (velocities[begin + i] + drift[i % 3]);
        std::array<std::array<double, part>, Stage::registers> next;
        for (std::size_t r = 0; r < registers; ++r) {
            for (std::size_t i = 0; i < length; ++i) next[r][i] = stage.v[r] * rate[i];
            for (std::size_t j = 0; j < registers; ++j) {
                const double* const from = &registers_[j][begin];
                for (std::size_t i = 0; i < length; ++i) next[r][i] += stage.m[r][j] * from[i];
            }
        }
        for (std::size_t r = 0; r < registers; ++r)
            if (stage.writes() >> r & 1) std::copy_n(next[r].data(), length, &registers_[r][begin]);
    });
}

void Cloud::reorder(std::span<const std::uint32_t> order) {
    const auto reordered = [&](auto& values, std::size_t each) {
        auto to = values;
        std::size_t n = 0;
        for (const std::uint32_t p : order)
            if (p < count()) std::copy_n(&values[each * p], each, &to[each * n++]);
        values = std::move(to);
    };
    for (std::vector<double>& positions : registers_) reordered(positions, 3);
    reordered(ids_, 1);
}

std::vector<char> Cloud::take_leaving(const Territory& territory, std::vector<int>& ranks) {
    std::vector<bool> stays(count(), true);
    std::vector<std::size_t> leaving;
    for (std::size_t p = 0; p < count(); ++p) {
        const int owner = territory.owner(territory.place(&registers_.front()[3 * p]).data());
        if (owner == territory.rank()) continue;
        stays[p] = false;
        leaving.push_back(p);
        ranks.push_back(owner);
    }
    std::vector<std::size_t> order(leaving.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
    std::vector<char> packed(leaving.size() * bytes_each());
    char* to = packed.data();
    const auto put = [&](const void* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        to += bytes;
    };
    for (const std::size_t i : order) {
        put(&ids_[leaving[i]], sizeof(std::int64_t));
        for (const auto& positions : registers_) put(&positions[3 * leaving[i]], 3 * sizeof(double));
    }
    std::ranges::sort(ranks);
    keep_only(stays);
    return packed;
}

void Cloud::keep_only(const std::vector<bool>& stays) {
    std::size_t to = 0;
    for (std::size_t p = 0; p < count(); ++p) {
        if (!stays[p]) continue;
        ids_[to] = ids_[p];
        for (auto& positions : registers_)
            std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(3 * p), 3,
                        positions.begin() + static_cast<std::ptrdiff_t>(3 * to));
        ++to;
    }
    ids_.resize(to);
    for (auto& positions : registers_) positions.resize(3 * to);
}

void Cloud::unpack(std::span<const char> packed) {
    std::vector<double> positions(3 * registers_.size());
    for (std::size_t i = 0; i < packed.size(); i += bytes_each()) {
        std::int64_t id = 0;
        std::memcpy(&id, &packed[i], sizeof(id));
        std::memcpy(positions.data(), &packed[i + sizeof(id)], positions.size() * sizeof(double));
        add(id, positions);
    }
}

void Cloud::settle(const Territory& territory, const exchange::Neighbours& neighbours,
                   const exchange::Communicator& world) {
    if (world.size() == 1) return;
    std::vector<int> ranks;
    const std::vector<char> leaving = take_leaving(territory, ranks);
    const auto count_of = [&](int rank) { return static_cast<int>(std::ranges::count(ranks, rank)); };
    std::vector<int> sent;
    for (const int rank : neighbours.ranks()) sent.push_back(count_of(rank));
    const std::size_t to_neighbours = std::accumulate(sent.begin(), sent.end(), std::size_t{0});
    std::vector<int> received;
    const auto room = [&] {
        return std::vector<char>(std::accumulate(received.begin(), received.end(), std::size_t{0}) *
                                 bytes_each());
    };
    // Those that were set far from here go to any rank.
    if (world.any(to_neighbours < ranks.size())) {
        sent.clear();
        for (int rank = 0; rank < world.size(); ++rank) sent.push_back(count_of(rank));
        received = exchange::counts_for_this(world, sent);
        std::vector<char> arriving = room();
        exchange::exchange_items(world, leaving.data(), sent, arriving.data(), received, bytes_each());
        return unpack(arriving);
    }
    received = neighbours.counts_for_this(sent);
    std::vector<char> arriving = room();
    neighbours.exchange(leaving.data(), sent, arriving.data(), received, bytes_each());
    unpack(arriving);
}

} // namespace whorl::particles
