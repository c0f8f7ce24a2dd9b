// The stage of rows: through x to the points, the work there, and back (docs/method.md, "Round trip").
//
//   rows -x lines-> points -point-> products -x lines-> rows
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "device/compiled.hpp"
#include "device/row_lines.hpp"
#include "roundtrip/axis_lines.hpp"
#include "roundtrip/exchanges.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/line_kernels.hpp"
#include "roundtrip/parities.hpp"
#include "roundtrip/row_pairs.hpp"
#include "roundtrip/row_program.hpp"

namespace whorl {

template <class Device, class Real> class RowStage {
  public:
    // Products are multiplied by `scale` on their way back.
    RowStage(const Layout& layout, Device& device, Executors<Device, Real>& executors,
             Exchanges<Device, Real>& exchanges, const Parities& parities, double scale);

    // For the workspace the executors have now, which have so many planes in hand.
    void take_lines(const LineChoice& choice, const std::set<int>& planes);

    // Of the index-th of those of a batch's planes whose rows this rank has, by row peers.
    const kernels::RowPiece<Real>* pieces(int executor, int index, int batch);

    // Rows y0, ..., y0 + rows - 1 of pieces. meanwhile(points) is told on the way how many points are done.
    template <class Pass, class Meanwhile>
    void through(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                 const kernels::RowPiece<Real>* pieces, const Meanwhile& meanwhile);

    // The largest values measured since they were forgotten, on this rank; NaN where one was not finite.
    void forget_maxima();
    std::array<double, 2> maxima();

  private:
    using Value = Complex<Real>;
    using Memory = typename Device::Memory;
    using Lines = typename Device::template Lines<Real>;
    using ByPairs = std::map<int, std::unique_ptr<Lines>>; // of rows

    void make_pair_lines(device::LineKind kind, const std::set<int>& planes);
    kernels::LineBlock<Real> line_block(int executor, bool out, const kernels::RowPairs& rows);
    // By rows turned into lanes.
    template <class Pass, class Meanwhile>
    void through_lanes(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                       const kernels::RowPiece<Real>* pieces, const Meanwhile& meanwhile);
    // In the memory of blocks of threads.
    template <class Pass>
    void through_blocks(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                        const kernels::RowPiece<Real>* pieces);
    // By pairs of rows as complex lines of any kind.
    template <class Pass>
    void through_pairs(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                       const kernels::RowPiece<Real>* pieces);
    template <class Pass>
    void work_at_points(const Pass& pass, int executor, const kernels::RowOrder& order,
                        const kernels::LineBlock<Real>& in, const kernels::LineBlock<Real>& out);
    template <class Pass> void measure(const Pass& pass, int executor, const kernels::LineBlock<Real>& block);
    template <class Maxima> void add_maxima(const Maxima& maxima, int number, int executor);

    const Layout& layout_;
    Device& device_;
    Executors<Device, Real>& executors_;
    Exchanges<Device, Real>& exchanges_;
    const Parities& parities_;
    Real scale_;
    std::vector<std::vector<kernels::RowPiece<Real>>> pieces_;     // by executors, by row peers
    std::vector<std::array<double, 2>> maxima_;                    // by executors
    std::unique_ptr<device::RowLines<Real>> row_lines_;            // or, where work is enqueued:
    std::unique_ptr<device::LineTables<Memory, Real>> row_tables_; // or, for other kinds of lines:
    AxisLines<ByPairs> in_, out_;
};

} // namespace whorl
