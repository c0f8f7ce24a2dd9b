// The one path between modes and points (docs/method.md, "Round trip"):
//
//   modes -load-> z-lines -> y-lines -> x-lines -point->
//     x-lines -> y-lines -contract-> z-lines -store-> modes
// A pass defines the variables that travel. Three stages carry them: columns (z lines), planes (y lines) and
// rows (x lines and points); between them columns and rows are exchanged. RoundTrip runs them batch by batch.
//
//   leg           one of the two exchanges, of columns or of rows, each in and out.
//   part, member  a smaller pass that shares the round trip of a pass; the pass or one of its parts.
//   firsts, heads the numbers of a member's first input, product and flux; the inputs of the pass for parts.
//   batch, chunk  planes that are exchanged together; the data of a batch from one rank to another.
//   executor      a thread of a CPU or a GPU stream. A task is a kind of its work, timed by itself.
//   column, tile  all kz of one kx and ky; columns that a thread transforms together, in runs of one ky.
//   pencil        the data of a rank while the lines along z, y or x are whole.
//   address       the beginning of a plane or a row in a buffer, and the distance between its variables.
//   row, share    elements along x of one y and z, or of one ky and kz; those that one row peer has.
//   element       a complex number of a row: one kx, between walls in x two.
//   line, plan    a one-dimensional transform; a plan executes many of one shape. Its steps have one radix.
//   ends          the reads before and the writes after a transform, on streams.
//   lane, block   one of the lines that a vector or a block transforms at a time; threads of a GPU that
//                 share memory, or on a CPU rows transposed into lanes.
#pragma once

#include <map>
#include <string>

#include "device/caches.hpp"
#include "device/compiled.hpp"
#include "roundtrip/exchanges.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/mode_space.hpp"
#include "roundtrip/parities.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/stages.hpp"

namespace whorl {

struct RoundTripOptions {
    ProcessGrid grid;
    int batches = 1;
    ExchangeOptions exchange;
    LineChoice lines;
    std::int64_t second_cache = device::second_cache(); // bytes
    int planes = 0;               // at a time, on a GPU; 0: as many as plane_bytes have room for
    std::int64_t plane_bytes = 0; // of a stream (Workspace::Stream); 0: as many as fill the device
    device::BlockChoice blocks;
    // The most variables of any pass: on the column leg (inputs, fluxes) and on the row leg (inputs,
    // products).
    int column_variables = 4, row_variables = 5;
};

// The workspace of an executor.
template <class Device, class Real>
Workspace workspace_of(const Device& device, const Layout& layout, const RoundTripOptions& options) {
    if constexpr (Device::streams)
        return Workspace::of_stream(layout, {sizeof(Complex<Real>), options.lines.x,
                                             std::min(device.block_memory(), device::planned_block_memory),
                                             options.planes, options.blocks.pairs, options.plane_bytes});
    else
        return workspace_of_thread<Real>(layout, options.lines, options.second_cache);
}

template <class Device, class Real> class LineTrials;
template <class Device, class Real> class PlaneTrials;

template <class Device, class Real> class RoundTrip {
  public:
    RoundTrip(const Box& box, const Truncation& truncation, const RoundTripOptions& options,
              const exchange::Communicator& world, Device& device);
    RoundTrip(const RoundTrip&) = delete;
    RoundTrip& operator=(const RoundTrip&) = delete;

    const Layout& layout() const { return layout_; }
    const RowTable& table() const { return table_; }
    const Pencils& pencils() const { return pencils_; }
    Device& device() const { return device_; }
    ModeTables<Real> modes() const { return modes_.tables(); }
    const LineChoice& lines() const { return lines_; }
    std::int64_t plane_bytes() const { return options_.plane_bytes; }

    // The offset, in fractions of a grid cell, of the grid on which the next passes work; all zero: no shift.
    void shift(std::array<double, 3> cells) { modes_.shift(cells); }
    std::array<double, 3> shift() const { return modes_.offset(); }

    // The rows of a block whose points a pass's taps are shown (PointTap); 0 where they see nothing: on
    // streams, with other lines along x, and where rows are exchanged.
    int shown_rows() const {
        const bool shown =
            rows_.shows_points() && executors_.workspace.planes == 1 && layout_.grid.p_row == 1;
        return shown ? executors_.workspace.rows : 0;
    }

    // Runs a pass. Returns its maxima over all ranks (NaN where a value was not finite).
    template <class Pass> std::array<double, 2> run(Pass& pass);

    Exchanges<Device, Real>& exchanges() { return exchanges_; }
    const Exchanges<Device, Real>& exchanges() const { return exchanges_; }

    // Bytes by array, and seconds by task since time() was called: of executors the mean over threads or the
    // sum over streams, of exchanges those of the calling thread.
    std::map<std::string, std::int64_t> memory() const;
    std::map<std::string, double> timings() const;
    void time(bool enabled);

  private:
    friend class LineTrials<Device, Real>;
    friend class PlaneTrials<Device, Real>;
    using Legs = typename Exchanges<Device, Real>::Legs;

    StageContext<Device, Real> context() {
        return {layout_, device_, executors_, exchanges_, modes_, parities_};
    }
    // Makes all that depends on the lines: workspaces, tiles and plans.
    void make_plans(const LineChoice& choice);
    std::array<double, 2> reduce_maxima(bool wanted);

    template <class Pass> void batches(Pass& pass, const Legs& legs);
    template <class Pass, class Work> void in_batch(Pass& pass, const Range& all, const Work& work);
    template <class Pass> void whole_planes(Pass& pass, const Range& all);
    template <class Pass> void towards_rows(Pass& pass, int b, const Legs& legs);
    template <class Pass> void exchanged_rows(Pass& pass, int b, const Legs& legs);
    template <class Pass> void back_from_rows(Pass& pass, int b, const Legs& legs);

    Pencils pencils_;
    Layout layout_;
    RowTable table_;
    Device& device_;
    const exchange::Communicator& world_;
    RoundTripOptions options_;
    LineChoice lines_;
    Parities parities_; // of the present pass
    ModeSpace<Device, Real> modes_;
    Executors<Device, Real> executors_;
    Exchanges<Device, Real> exchanges_;
    ColumnStage<Device, Real> columns_;
    PlaneStage<Device, Real> planes_;
    RowStage<Device, Real> rows_;
};

} // namespace whorl
