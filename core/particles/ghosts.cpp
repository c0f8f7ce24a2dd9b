#include "particles/ghosts.hpp"

#include <numeric>

#include "base/error.hpp"

namespace whorl::particles {

// Stencils begin one point further away on a grid that is moved by less than two cells.
Ghosts::Ghosts(const exchange::Communicator& world, const Ownership& ownership,
               const Interpolation& interpolation)
    : ownership_(ownership), interpolation_(interpolation),
      neighbours_(world, ownership_.neighbours(interpolation.points / 2 + 1)),
      number_of_(static_cast<std::size_t>(world.size()), -1) {
    for (int n = 0; const int rank : neighbours_.ranks()) number_of_[static_cast<std::size_t>(rank)] = n++;
}

void Ghosts::exchange(const std::array<GridAxis, 3>& axes, std::span<const double> positions) {
    sent_.clear();
    of_sent_.clear();
    positions_.clear();
    received_.clear();
    if (neighbours_.count() == 0) return;
    std::vector<std::vector<std::uint32_t>> lists(neighbours_.count());
    for (std::size_t p = 0; p < positions.size() / 3; ++p) {
        const Stencil y(axes[1], interpolation_, axes[1].place(positions[3 * p + 1])),
            z(axes[2], interpolation_, axes[2].place(positions[3 * p + 2]));
        for (int l = 0; l < z.count; ++l)
            for (int j = 0; j < y.count; ++j) {
                const int owner = ownership_.owner(y.at[j], z.at[l]);
                if (owner == ownership_.rank()) continue;
                const int neighbour = number_of_[static_cast<std::size_t>(owner)];
                WHORL_REQUIRE(neighbour >= 0, "a particle is sampled far from the points of its rank.");
                std::vector<std::uint32_t>& list = lists[static_cast<std::size_t>(neighbour)];
                const auto number = static_cast<std::uint32_t>(p);
                if (list.empty() || list.back() != number) list.push_back(number);
            }
    }
    std::vector<double> sent;
    for (const auto& list : lists) {
        sent_.push_back(static_cast<int>(list.size()));
        for (const std::uint32_t p : list) {
            of_sent_.push_back(p);
            for (std::size_t a = 0; a < 3; ++a) sent.push_back(positions[3 * std::size_t{p} + a]);
        }
    }
    received_ = neighbours_.counts_for_this(sent_);
    positions_.resize(3 * std::accumulate(received_.begin(), received_.end(), std::size_t{0}));
    neighbours_.exchange(sent.data(), sent_, positions_.data(), received_, 3 * sizeof(double));
}

void Ghosts::give_back(std::span<const double> of_ghosts, std::span<double> own,
                       std::size_t variables) const {
    if (neighbours_.count() == 0) return;
    std::vector<double> shares(of_sent_.size() * variables);
    neighbours_.exchange(of_ghosts.data(), received_, shares.data(), sent_, variables * sizeof(double));
    for (std::size_t i = 0; i < of_sent_.size(); ++i)
        for (std::size_t v = 0; v < variables; ++v)
            own[of_sent_[i] * variables + v] += shares[i * variables + v];
}

} // namespace whorl::particles
