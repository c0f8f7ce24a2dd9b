#include "particles/particle_set.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "exchange/neighbours.hpp"

namespace whorl::particles {

void ParticleSet::add(Identity id, std::span<const double> values) {
    std::vector<double> all(values.begin(), values.end());
    all.resize(3 * vectors_.size());
    push_back(id, all);
}

void ParticleSet::reserve(std::size_t count) {
    ids_.reserve(count);
    for (std::vector<double>& vectors : vectors_) vectors.reserve(3 * count);
}

void ParticleSet::push_back(Identity id, std::span<const double> vectors) {
    ids_.push_back(id);
    for (std::size_t n = 0; n < vectors_.size(); ++n)
        for (std::size_t a = 0; a < 3; ++a) vectors_[n].push_back(vectors[3 * n + a]);
}

void ParticleSet::reorder(std::span<const std::uint32_t> order) {
    const auto reordered = [&](auto& values, std::size_t each) {
        auto to = values;
        std::size_t n = 0;
        for (const std::uint32_t p : order)
            if (p < count()) std::copy_n(&values[each * p], each, &to[each * n++]);
        values = std::move(to);
    };
    for (std::vector<double>& vectors : vectors_) reordered(vectors, 3);
    reordered(ids_, 1);
}

std::vector<char> ParticleSet::take_leaving(const Ownership& ownership, std::vector<int>& ranks) {
    std::vector<bool> stays(count(), true);
    std::vector<std::size_t> leaving;
    const Owners owner_of = ownership.owners();
    for (std::size_t p = 0; p < count(); ++p) {
        const int owner = owner_of(&vectors_.front()[3 * p]);
        if (owner == ownership.rank()) continue;
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
        put(&ids_[leaving[i]], sizeof(Identity));
        for (const auto& vectors : vectors_) put(&vectors[3 * leaving[i]], 3 * sizeof(double));
    }
    std::ranges::sort(ranks);
    keep_only(stays);
    return packed;
}

void ParticleSet::keep_only(const std::vector<bool>& stays) {
    std::size_t to = 0;
    for (std::size_t p = 0; p < count(); ++p) {
        if (!stays[p]) continue;
        ids_[to] = ids_[p];
        for (auto& vectors : vectors_)
            std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(3 * p), 3,
                        vectors.begin() + static_cast<std::ptrdiff_t>(3 * to));
        ++to;
    }
    ids_.resize(to);
    for (auto& vectors : vectors_) vectors.resize(3 * to);
}

void ParticleSet::unpack(std::span<const char> packed) {
    std::vector<double> vectors(3 * vectors_.size());
    for (std::size_t i = 0; i < packed.size(); i += bytes_each()) {
        Identity id = 0;
        std::memcpy(&id, &packed[i], sizeof(id));
        std::memcpy(vectors.data(), &packed[i + sizeof(id)], vectors.size() * sizeof(double));
        push_back(id, vectors);
    }
}

void ParticleSet::migrate(const Ownership& ownership, const exchange::Neighbours& neighbours,
                          const exchange::Communicator& world) {
    if (world.size() == 1) return;
    std::vector<int> ranks;
    const std::vector<char> leaving = take_leaving(ownership, ranks);
    const auto count_of = [&](int rank) { return static_cast<int>(std::ranges::count(ranks, rank)); };
    std::vector<int> sent;
    for (const int rank : neighbours.ranks()) sent.push_back(count_of(rank));
    const std::size_t to_neighbours = std::accumulate(sent.begin(), sent.end(), std::size_t{0});
    std::vector<int> received;
    const auto room = [&] {
        return std::vector<char>(std::accumulate(received.begin(), received.end(), std::size_t{0}) *
                                 bytes_each());
    };
    // Particles that were set far from here may go to any rank, so all ranks exchange with all.
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
