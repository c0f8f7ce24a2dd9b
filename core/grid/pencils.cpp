#include "grid/pencils.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace whorl {

Range even_range(int total, int parts, int index) {
    const auto cut = [&](long long i) { return static_cast<int>(i * total / parts); };
    return {cut(index), cut(index + 1)};
}

namespace {

// Cuts greedily under `limit`, leaving one item for each following part as far as items suffice. Returns true
// if all items fit.
bool cut_under(const std::vector<long long>& weights, int parts, long long limit,
               std::vector<Range>& blocks) {
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

std::vector<Range> balanced_ranges(const std::vector<long long>& weights, int parts) {
    std::vector<Range> blocks(static_cast<std::size_t>(parts));
    long long low = 0;
    long long high = std::accumulate(weights.begin(), weights.end(), 0LL);
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (cut_under(weights, parts, middle, blocks))
            high = middle;
        else
            low = middle + 1;
    }
    WHORL_REQUIRE(cut_under(weights, parts, high, blocks), "cannot divide " + std::to_string(weights.size()) +
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

using Parts = std::vector<std::vector<int>>; // items in increasing order

long long heaviest(const std::vector<long long>& weights, const Parts& parts) {
    long long most = 0;
    for (const auto& items : parts) {
        long long weight = 0;
        for (const int item : items) weight += weights[static_cast<std::size_t>(item)];
        most = std::max(most, weight);
    }
    return most;
}

Parts in_blocks(const std::vector<long long>& weights, int parts) {
    Parts blocks;
    for (const Range& block : balanced_ranges(weights, parts)) {
        blocks.emplace_back(static_cast<std::size_t>(block.size()));
        std::iota(blocks.back().begin(), blocks.back().end(), block.begin);
    }
    return blocks;
}

// Deals the kept ky in the order 0, 1, -1, 2, ..., which is the order of their weights.
Parts by_dealing(int kept_y, bool wall, int parts) {
    Parts hands(static_cast<std::size_t>(parts));
    for (int part = 0; part < parts; ++part) {
        auto& hand = hands[static_cast<std::size_t>(part)];
        const Dealt dealt = deal(kept_y, parts, part);
        for (int i = 0; i < dealt.size(); ++i) {
            const int place = dealt.at(i);
            hand.push_back(wall ? place : (place % 2 == 1 ? (place + 1) / 2 : (kept_y - place / 2) % kept_y));
        }
        std::ranges::sort(hand);
    }
    return hands;
}

// Blocks make long runs in a checkpoint, so ky are dealt only if that reduces the largest weight by a
// twentieth.
Parts share(const std::vector<long long>& columns, bool wall, int parts) {
    Parts blocks = in_blocks(columns, parts);
    Parts hands = by_dealing(static_cast<int>(columns.size()), wall, parts);
    return 20 * heaviest(columns, hands) < 19 * heaviest(columns, blocks) ? hands : blocks;
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
        ky_[static_cast<std::size_t>(r)] = share(columns, truncation.wall(1), grid.p_col);
    }
}

Range Pencils::point_z(int r, int c) const {
    const Range all = z(c);
    if (!flat_y()) return all;
    const Range own = even_range(all.size(), grid_.p_row, r);
    return {all.begin + own.begin, all.begin + own.end};
}

int Pencils::column_length(int r, int ky_index) const {
    return elements(r).below(lengths_[static_cast<std::size_t>(ky_index)]);
}

long long Pencils::columns(int r, int c) const {
    long long count = 0;
    for (const int index : ky(r, c)) count += column_length(r, index);
    return count;
}

long long Pencils::most_columns() const {
    long long most = 0;
    for (int r = 0; r < grid_.p_row; ++r)
        for (int c = 0; c < grid_.p_col; ++c) most = std::max(most, columns(r, c));
    return most;
}

long long Pencils::most_row_columns() const {
    long long most = 0;
    for (int r = 0; r < grid_.p_row; ++r) {
        const Dealt own = elements(r);
        const auto add = [&](long long sum, int length) { return sum + own.below(length); };
        most = std::max(most, std::accumulate(lengths_.begin(), lengths_.end(), 0LL, add));
    }
    return most;
}

double Pencils::imbalance() const {
    const long long total = std::accumulate(lengths_.begin(), lengths_.end(), 0LL);
    return static_cast<double>(most_columns()) * grid_.p_row * grid_.p_col / static_cast<double>(total);
}

namespace {
struct Limits {
    int row, col;
};
Limits limits(const Box& box, const Truncation& truncation) {
    const auto& [nx, ny, nz] = box.points;
    return {std::min(ny == 1 ? nz : ny, elements_of(truncation, truncation.extent(0) + 1)),
            std::min(nz, truncation.count(1))};
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
