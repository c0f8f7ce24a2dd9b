#include "storage/mode_order.hpp"

#include <cstdlib>
#include <utility>

namespace whorl::storage {

Columns columns_of(const Truncation& truncation, const RowTable& table) {
    Columns columns{{}, table.signed_ky(truncation)};
    for (int i = 0; i < table.kx().size(); ++i) columns.kx.push_back(table.kx().at(i));
    return columns;
}

// Positions are counted over the modes of all ranks, kx after kx.
ModeOrder::ModeOrder(const Truncation& of_file, Columns columns) : columns_(std::move(columns)) {
    const std::vector<int>& ky = columns_.ky;
    const int extent = of_file.extent(1), kept = of_file.count(1);
    begin_.assign(static_cast<std::size_t>(width()) * ky.size(), 0);
    count_.assign(begin_.size(), 0);
    std::vector<int> own(static_cast<std::size_t>(kept), -1); // index among own ky, by index in the file
    for (std::size_t j = 0; j < ky.size(); ++j)
        if (std::abs(ky[j]) <= extent)
            own[static_cast<std::size_t>(wrapped(ky[j], kept))] = static_cast<int>(j);
    std::vector<int> lengths, counts(static_cast<std::size_t>(extent) + 1); // by |ky|: kx, modes of one kx
    for (int n_y = 0; n_y <= extent; ++n_y) lengths.push_back(of_file.column_length(n_y));
    for (int i = 0, n_x = 0; n_x <= of_file.extent(0); ++n_x) {
        for (std::size_t n_y = 0; n_y < counts.size(); ++n_y)
            counts[n_y] = n_x < lengths[n_y] ? of_file.column_modes(n_x, static_cast<int>(n_y)) : 0;
        const bool own_kx = i < width() && columns_.kx[static_cast<std::size_t>(i)] == n_x;
        for (int index = 0; index < kept; ++index) {
            const int count = counts[static_cast<std::size_t>(std::abs(signed_index(index, extent)))];
            const int j = own[static_cast<std::size_t>(index)];
            if (own_kx && j >= 0) {
                begin_[at(i, j)] = total_;
                count_[at(i, j)] = count;
            }
            total_ += count;
        }
        if (own_kx) ++i;
    }
}

ModePlaces::ModePlaces(const ModeOrder& order)
    : height_(order.height()), places_(static_cast<std::size_t>(order.width() * order.height())) {
    for (int i = 0; i < order.width(); ++i)
        for (int j = 0; j < height_; ++j) at(i, j) = {0, order.begin(i, j)};
}

ModePlaces::ModePlaces(const ModeOrder& order, Place begin)
    : height_(order.height()), places_(static_cast<std::size_t>(order.width() * order.height())) {
    for (int i = 0; i < order.width(); ++i)
        for (int j = 0; j < height_; ++j) {
            at(i, j) = begin;
            begin.begin += order.column(i, j);
        }
}

} // namespace whorl::storage
