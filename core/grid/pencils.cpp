#include "grid/pencils.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace whorl {

Block even_block(int total, int parts, int index) {
    const auto cut = [&](long long i) { return static_cast<int>(i * total / parts); };
    return {cut(index), cut(index + 1)};
}

namespace {

// Cuts greedily under `limit`, leaving an item for each part still to come while there are as many; true when
// all items fit.
bool cut_under(const std::vector<long long>& weights, int parts, long long limit,
               std::vector<Block>& blocks) {
    const int n = static_cast<int>(weights.size());
    int begin = 0;
    for (int part = 0; part < parts; ++part) {
        const int last_end = std::max(n - (parts - part - 1), std::min(begin + 1, n));
        long long weight = 0;
        int end = begin;
        while (end < last_end && (end == begin || weight + weights[static_cast<std::size_t>(end)] <= limit))
            weight += weights[static_cast<std::size_t>(end++)];
        if (weight > limit) return false;
        blocks[static_cast<std::size_t>(part)] = {begin, end};
        begin = end;
    }
    return begin == n;
}

} // namespace

std::vector<Block> balanced_blocks(const std::vector<long long>& weights, int parts) {
    std::vector<Block> blocks(static_cast<std::size_t>(parts));
    long long low = 0;
    long long high = std::accumulate(weights.begin(), weights.end(), 0LL);
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (cut_under(weights, parts, middle, blocks))
            high = middle;
        else
            low = middle + 1;
    }
    WHORL_REQUIRE(cut_under(weights, parts, high, blocks), "cannot cut " + std::to_string(weights.size()) +
                                                               " items into " + std::to_string(parts) +
                                                               " blocks.");
    return blocks;
}

namespace {
int wavenumbers_per_element(const Truncation& truncation) { return truncation.wall(0) ? 2 : 1; }
int elements_of(const Truncation& truncation, int wavenumbers) {
    const int each = wavenumbers_per_element(truncation);
    return (wavenumbers + each - 1) / each;
}
} // namespace

Pencils::Pencils(const Box& box, const Truncation& truncation, ProcessGrid grid)
    : points_(box.points), grid_(grid), kept_x_(truncation.extent(0) + 1),
      per_element_(wavenumbers_per_element(truncation)), kept_elements_(elements_of(truncation, kept_x_)),
      ky_(static_cast<std::size_t>(grid.p_row)) {
    const int kept_y = truncation.count(1);
    for (int index = 0; index < kept_y; ++index) {
        const int kept = truncation.column_length(signed_index(index, truncation.extent(1)));
        lengths_.push_back(elements_of(truncation, kept));
    }
    for (int r = 0; r < grid.p_row; ++r) {
        std::vector<long long> columns;
        for (int index = 0; index < kept_y; ++index) columns.push_back(column_length(r, index));
        ky_[static_cast<std::size_t>(r)] = balanced_blocks(columns, grid.p_col);
    }
}

int Pencils::column_length(int r, int ky_index) const {
    return elements(r).below(lengths_[static_cast<std::size_t>(ky_index)]);
}

long long Pencils::columns(int r, int c) const {
    long long count = 0;
    for (int index = ky(r, c).begin; index < ky(r, c).end; ++index) count += column_length(r, index);
    return count;
}

double Pencils::imbalance() const {
    long long largest = 0;
    long long total = 0;
    for (int r = 0; r < grid_.p_row; ++r)
        for (int c = 0; c < grid_.p_col; ++c) {
            largest = std::max(largest, columns(r, c));
            total += columns(r, c);
        }
    return static_cast<double>(largest) * grid_.p_row * grid_.p_col / static_cast<double>(total);
}

namespace {
struct Limits {
    int row, col;
};
Limits limits(const Box& box, const Truncation& truncation) {
    return {std::min(box.points[1], elements_of(truncation, truncation.extent(0) + 1)),
            std::min(box.points[2], truncation.count(1))};
}
} // namespace

std::vector<ProcessGrid> allowed_process_grids(const Box& box, const Truncation& truncation, int ranks) {
    const Limits most = limits(box, truncation);
    std::vector<ProcessGrid> grids;
    for (int p_row = 1; p_row <= std::min(ranks, most.row); ++p_row)
        if (ranks % p_row == 0 && ranks / p_row <= most.col) grids.push_back({p_row, ranks / p_row});
    return grids;
}

int maximum_ranks(const Box& box, const Truncation& truncation) {
    const Limits most = limits(box, truncation);
    return most.row * most.col;
}

ProcessGrid choose_process_grid(const Box& box, const Truncation& truncation, int ranks) {
    const auto grids = allowed_process_grids(box, truncation, ranks);
    const Limits most = limits(box, truncation);
    WHORL_REQUIRE(!grids.empty(),
                  std::to_string(ranks) + " ranks cannot be arranged as p_row x p_col with p_row at most " +
                      std::to_string(most.row) + " and p_col at most " + std::to_string(most.col) +
                      " for this grid: use another number of ranks (at most " +
                      std::to_string(1LL * most.row * most.col) + ") or more points.");
    return grids.front();
}

} // namespace whorl
