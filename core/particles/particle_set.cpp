#include "particles/particle_set.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "exchange/neighbours.hpp"

namespace whorl::particles {

void ParticleSet::add(Identity id, std::span<const double> values) {
    ids_.push_back(id);
    for (std::size_t n = 0; n < vectors_.size(); ++n)
        for (std::size_t i = 3 * n; i < 3 * (n + 1); ++i)
            vectors_[n].push_back(i < values.size() ? values[i] : 0.0);
}

void ParticleSet::reserve(std::size_t count) {
    ids_.reserve(count);
    for (std::vector<double>& vectors : vectors_) vectors.reserve(3 * count);
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

std::map<int, std::vector<char>> ParticleSet::take_leaving(const Ownership& ownership) {
    std::map<int, std::vector<char>> leaving;
    const Owners owner_of = ownership.owners();
    std::size_t staying = 0;
    for (std::size_t p = 0; p < count(); ++p) {
        const int owner = owner_of(&vectors_.front()[3 * p]);
        if (owner != ownership.rank()) {
            const auto pack = [&to = leaving[owner]](const void* from, std::size_t bytes) {
                const auto* const begin = static_cast<const char*>(from);
                to.insert(to.end(), begin, begin + bytes);
            };
            pack(&ids_[p], sizeof(Identity));
            for (const auto& vectors : vectors_) pack(&vectors[3 * p], 3 * sizeof(double));
            continue;
        }
        ids_[staying] = ids_[p];
        for (auto& vectors : vectors_)
            for (std::size_t a = 0; a < 3; ++a) vectors[3 * staying + a] = vectors[3 * p + a];
        ++staying;
    }
    ids_.resize(staying);
    for (auto& vectors : vectors_) vectors.resize(3 * staying);
    return leaving;
}

void ParticleSet::migrate(const Ownership& ownership, const exchange::Neighbours& neighbours,
                          const exchange::Communicator& world) {
    if (world.size() == 1) return;
    std::map<int, std::vector<char>> leaving = take_leaving(ownership);
    std::vector<char> packed;
    for (const auto& [rank, particles] : leaving)
        packed.insert(packed.end(), particles.begin(), particles.end());
    const auto counts = [&](const exchange::Neighbours& of) {
        std::vector<int> sent;
        for (const int rank : of.ranks())
            sent.push_back(static_cast<int>(leaving[rank].size() / bytes_each()));
        return sent;
    };
    const auto bytes_of = [&](const std::vector<int>& of) {
        return std::accumulate(of.begin(), of.end(), std::size_t{0}) * bytes_each();
    };
    // Particles that were set far from here may go to any rank, so all ranks exchange with all.
    std::vector<int> ranks = neighbours.ranks();
    const bool far = world.any(bytes_of(counts(neighbours)) < packed.size());
    if (far) {
        ranks.resize(static_cast<std::size_t>(world.size()));
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    const exchange::Neighbours others(world, std::move(ranks));
    const std::vector<int> sent = counts(others), received = far ? exchange::counts_for_this(world, sent)
                                                                 : others.counts_for_this(sent);
    std::vector<char> arriving(bytes_of(received));
    others.exchange(packed.data(), sent, arriving.data(), received, bytes_each());
    std::vector<double> vectors(3 * vectors_.size());
    for (std::size_t i = 0; i < arriving.size(); i += bytes_each()) {
        Identity id = 0;
        std::memcpy(&id, &arriving[i], sizeof(id));
        std::memcpy(vectors.data(), &arriving[i + sizeof(id)], vectors.size() * sizeof(double));
        add(id, vectors);
    }
}

} // namespace whorl::particles
