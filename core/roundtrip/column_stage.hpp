// The first stage of a round trip towards the points, and the last on the way back: tiles of columns between
// the modes and the z-pencil (docs/method.md, "Round trip").
//
//   modes -load-> tile -z lines-> z-pencil,   z-pencil -z lines-> tile -store-> modes
#pragma once

#include <memory>
#include <vector>

#include "roundtrip/axis_lines.hpp"
#include "roundtrip/exchanges.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/line_ends.hpp"
#include "roundtrip/mode_space.hpp"
#include "roundtrip/parities.hpp"
#include "roundtrip/wall_kernels.hpp"

namespace whorl {

template <class Device, class Real> class ColumnStage {
  public:
    ColumnStage(const Layout& layout, Device& device, Executors<Device, Real>& executors,
                Exchanges<Device, Real>& exchanges, const ModeSpace<Device, Real>& modes,
                const Parities& parities);

    // For the workspace the executors have now.
    void take_lines(const LineChoice& choice);

    template <class Pass> void inwards(const Pass& pass);
    template <class Pass> void outwards(const Pass& pass);

    // The lines alone, of one tile: they read, or write, the z-pencil as they go.
    int tiles() const { return static_cast<int>(tiles_.size()); }
    kernels::Tile<Real> tile(int executor, std::int64_t number);
    void lines_in(int executor, const kernels::Tile<Real>& tile, int variables);
    void lines_out(int executor, std::int64_t number, int variables);

  private:
    using Value = Complex<Real>;
    using Memory = typename Device::Memory;
    using Lines = typename Device::template Lines<Real>;
    using ByWidth = std::vector<std::unique_ptr<Lines>>; // by lane_steps
    struct ColumnTile {
        std::int64_t column;
        int count;
        int first_segment, segments;
    };
    static constexpr int rows_ahead = 8; // that are fetched: far enough for memory

    void make_tiles();
    const Lines& lines_of(const AxisLines<ByWidth>& lines, const kernels::Tile<Real>& t,
                          Parity parity = even) const {
        return *lines[parity][static_cast<std::size_t>(lane_steps(t.count))];
    }
    template <bool to_pencil>
    void move_lines(int executor, const kernels::ColumnRows<Real>& columns, const Lines& lines,
                    int variables);

    // f(the struct whose store() a pass uses this time).
    template <class Pass, class F> static void with_result(const Pass& pass, const F& f) {
        if constexpr (requires { pass.with_store(f); })
            pass.with_store(f);
        else
            f(pass);
    }
    // Variables of the pass, or of a part, the first of which is this number of all.
    template <class Pass>
    void load(const Pass& pass, int executor, const kernels::Tile<Real>& t, int first_input);
    template <class Pass>
    void store(const Pass& pass, int executor, const kernels::Tile<Real>& t, int first_flux);
    template <class Pass, class Result>
    void store_rows(const Result& result, const kernels::Tile<Real>& t, int executor, int first_flux);
    template <class F> void each_row(const kernels::Tile<Real>& t, const F& f) const;
    kernels::ModeValues<Real> widened_row(int executor, const kernels::Tile<Real>& t, std::int64_t r,
                                          int first_flux, int fluxes);
    template <int n> kernels::Sines<n> sines_of(int first_input) const;
    kernels::Imaginary imaginary_of(int first_flux, int fluxes) const;

    // The same with the lines behind or before it, all in the memory of blocks, if they have room for so
    // many variables' lines at once.
    bool in_blocks(const AxisLines<ByWidth>& lines, const kernels::Tile<Real>& t, int variables) const;
    kernels::ModeColumns<Real> mode_columns(const kernels::Tile<Real>& t, int first_variable);
    template <class Pass> void load_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t);
    template <class Pass> void store_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t);

    const Layout& layout_;
    Device& device_;
    Executors<Device, Real>& executors_;
    Exchanges<Device, Real>& exchanges_;
    const ModeSpace<Device, Real>& modes_;
    const Parities& parities_;
    std::vector<ColumnTile> tiles_;
    std::vector<kernels::Segment> segments_; // of one tile after another
    device::Table<kernels::Segment, Memory> segment_table_;
    device::Table<PlaneSlot, Memory> z_pencil_slots_;
    device::Buffer<ColumnPlace, Memory> column_places_; // where work is enqueued
    std::vector<std::vector<Value>> widened_;           // by executors, between walls in x: a row of modes
    AxisLines<ByWidth> in_, out_;
};

} // namespace whorl
