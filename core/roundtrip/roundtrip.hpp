// The one path between modes and points (docs/method.md, "Round trip"):
//
//   modes -load-> z-lines -> y-lines -> x-lines -point->
//     x-lines -> y-lines -contract-> z-lines -store-> modes
//
// A pass says what travels; the round trip owns transforms, truncation, exchanges, batches and executors.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/buffer.hpp"
#include "device/caches.hpp"
#include "device/compiled.hpp"
#include "device/lines.hpp"
#include "device/row_lines.hpp"
#include "roundtrip/exchanges.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/line_ends.hpp"
#include "roundtrip/line_kernels.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/row_pairs.hpp"
#include "roundtrip/row_program.hpp"
#include "roundtrip/timed.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl {

struct RoundTripOptions {
    ProcessGrid grid;
    int batches = 1;
    ExchangeOptions exchange;
    LineChoice lines;
    std::int64_t second_cache = device::second_cache(); // bytes
    int planes = 0; // at a time, where work is enqueued; 0: as many as fill the device
    // Most variables of any pass: on the columns (inputs, fluxes) and on the rows (inputs, products).
    int column_variables = 4, row_variables = 5;
};

// What an executor of a round trip works in.
template <class Device, class Real>
Workspace workspace_of(const Device& device, const Layout& layout, const RoundTripOptions& options) {
    if constexpr (Device::streams)
        return Workspace::of_stream(layout, {sizeof(Complex<Real>), options.lines.x,
                                             std::min(device.block_memory(), device::planned_block_memory),
                                             options.planes});
    else
        return workspace_of_thread<Real>(layout, options.lines, options.second_cache);
}

template <class Device, class Real> class LineTrials;

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
    ModeTables<Real> modes() const;
    const LineChoice& lines() const { return lines_; }

    // The offset, in fractions of a grid cell, of the grid on which the next passes work; all zero: no shift.
    void shift(std::array<double, 3> cells);

    // Sends a pass through. Returns its maxima over all ranks (NaN where a value was not finite).
    template <class Pass> std::array<double, 2> run(Pass& pass);

    Exchanges<Device, Real>& exchanges() { return exchanges_; }
    const Exchanges<Device, Real>& exchanges() const { return exchanges_; }

    // Bytes by array, and the seconds spent by part since reset (mean over executors; exchange is the
    // caller's).
    std::map<std::string, std::int64_t> memory() const;
    std::map<std::string, double> timings() const;
    void time(bool enabled);

  private:
    friend class LineTrials<Device, Real>;
    using Value = Complex<Real>;
    using Memory = typename Device::Memory;
    using Legs = typename Exchanges<Device, Real>::Legs;
    using Lines = typename Device::template Lines<Real>;
    using LinesOf = std::unique_ptr<Lines>;
    template <class T> using Buffer = device::Buffer<T, Memory>;
    template <class T> using Table = device::Table<T, Memory>;
    template <class T> using ByBasis = std::array<T, device::basis_count>; // those the walls call for
    static constexpr int lane_step = 8; // widths of tiles are rounded up to this

    static int tile_width(int count) { return (count + lane_step - 1) / lane_step; }

    // The plane an executor takes after the one in hand: while it works at points the rows of the column
    // buffer that its y lines begin with are fetched.
    struct NextPlane {
        kernels::Spread<Real> spread{};
        std::int64_t rows = 0, fetched = 0;
        std::int64_t points = 0; // of the plane in hand that are done
    };
    struct Executor {
        Buffer<Value> workspace;
        std::vector<kernels::RowPiece<Real>> pieces;        // one a row peer
        std::vector<device::LineRow<Real>> rows, next_rows; // of the lines in hand, and of the next
        std::vector<Value> widened;                         // between walls in x, a row of modes
        NextPlane next_plane;
        Timers timers;
    };
    struct ColumnTile {
        std::int64_t column;
        int count;
        int first_segment, segments;
    };
    struct Timed : whorl::Timed<Device> {
        Timed(RoundTrip& trip, int executor, Part part)
            : whorl::Timed<Device>(trip.device_, trip.executors_[static_cast<std::size_t>(executor)].timers,
                                   trip.failure_, part) {}
    };

    void make_tables(const Box& box, const Truncation& truncation);
    // All that depends on the lines: the workspaces, the tiles, the lines themselves.
    void take_lines(const LineChoice& choice);
    void make_tiles();
    void make_lines();
    void make_x_lines();
    void make_workspaces();
    std::set<int> group_sizes() const;
    std::vector<device::Basis> bases(int axis) const;
    // Which lines along an axis a variable of this parity takes.
    device::Basis basis_of(int axis, Parity parity) const;
    std::size_t lines_of(int axis, Parity parity) const;
    template <class Pass> void find_parities(const Pass& pass, const Widths& widths);
    template <class Pass>
    void add_parities(const Pass& pass, int first_input, int first_product, int first_flux);
    template <int n> static kernels::Sines<n> sines_of(const std::vector<Parity>& parities, int first);
    kernels::Imaginary imaginary_of(int first, int fluxes) const;

    kernels::Tile<Real> tile(int executor, std::int64_t item);
    kernels::Planes<Real> planes(int executor, const Block& z);
    // Of the planes of a batch, those that an executor takes at a time.
    int groups(const Block& planes) const {
        return (planes.size() + workspace_.planes - 1) / workspace_.planes;
    }
    Block group(const Block& planes, std::int64_t item) const {
        const int begin = planes.begin + static_cast<int>(item) * workspace_.planes;
        return {begin, std::min(begin + workspace_.planes, planes.end)};
    }
    kernels::LineBlock<Real> line_block(int executor, bool out, const kernels::RowPairs& rows);
    Value* line_scratch(int executor) {
        return executors_[static_cast<std::size_t>(executor)].workspace.data() + workspace_.lent;
    }
    // Behind the plane: x lines in hand, later the contracted rows.
    Value* block_space(int executor) {
        return executors_[static_cast<std::size_t>(executor)].workspace.data() + workspace_.plane;
    }
    kernels::Shift<Real> shift_tables() const;
    const kernels::RowPiece<Real>* row_pieces(int executor, int plane_index, int b);
    const PlaneSlot* slots_of(const Block& z) const {
        return plane_slots_.data() +
               static_cast<std::int64_t>(z.begin - layout_.z.begin) * layout_.grid.p_col;
    }
    std::array<double, 2> reduce_maxima(bool wanted);
    const Lines& z_lines_of(const ByBasis<std::vector<LinesOf>>& lines, const kernels::Tile<Real>& t,
                            Parity parity = even) const {
        return *lines[lines_of(2, parity)][static_cast<std::size_t>(tile_width(t.count))];
    }
    // Transforms that read, or write, the column buffer as they go.
    void z_lines_in(int executor, const kernels::Tile<Real>& tile, int variables);
    void z_lines_out(int executor, std::int64_t item, int variables);
    // Lines of some variables, those of one `stride` behind those of the one before; lines(v) are v's.
    template <class LinesOfVariable>
    void transform_each(int executor, int variables, Value* first, std::int64_t stride,
                        const LinesOfVariable& lines);
    template <bool to_buffer>
    void move_lines(int executor, const kernels::ColumnRows<Real>& columns, const Lines& lines,
                    int variables);
    void y_lines_in(int executor, const Block& z, int variables);
    kernels::Spread<Real> spread_of(int executor, const Block& z);
    void find_next_plane(int executor, const Block& z, const Block& all, int variables);
    // Its part that is due when so many more points are done.
    void fetch_next_plane(int executor, std::int64_t points);
    template <class LinesOfVariable>
    void gather_plane(int executor, const kernels::Spread<Real>& spread, int variables,
                      const LinesOfVariable& lines);
    void y_lines_out(int executor, const Block& z, int variables);
    template <bool to_buffer> void move_rows(int executor, const Block& z, int b, int variables);

    template <class Pass>
    void load_tile(const Pass& pass, int executor, const kernels::Tile<Real>& t, int first_input);
    template <class Pass>
    void store_tile(const Pass& pass, int executor, const kernels::Tile<Real>& t, int first_flux);
    template <class Pass, class Result>
    void store_rows(const Result& result, int executor, const kernels::Tile<Real>& t, int first_flux);
    template <class F> void each_row(const kernels::Tile<Real>& t, const F& f) const;
    static constexpr int rows_ahead = 8; // far enough for memory
    kernels::ModeValues<Real> widened_row(int executor, const kernels::Tile<Real>& t, std::int64_t r,
                                          int first_flux, int fluxes);
    template <class Pass>
    void load_reals(const Pass& pass, int executor, const kernels::Tile<Real>& t, int first_input);
    template <class Pass, class Result>
    void store_reals(const Result& result, int executor, const kernels::Tile<Real>& t, int first_flux);
    template <class Kernel, class Pass>
    void contract_rows(const Kernel& kernel, const kernels::Contract<Real, Pass>& contract, int executor,
                       const Block& z);

    // f(the struct whose store() a pass uses this time).
    template <class Pass, class F> static void with_result(const Pass& pass, const F& f) {
        if constexpr (requires { pass.with_store(f); })
            pass.with_store(f);
        else
            f(pass);
    }
    template <class Pass> void columns_in(const Pass& pass);
    template <class Pass> void columns_out(const Pass& pass);
    template <class Pass> void batches(Pass& pass, const Legs& legs);
    template <class Pass> void whole_planes(Pass& pass, const Block& all);
    template <class Pass> void towards_rows(Pass& pass, int b, const Legs& legs);
    template <class Pass> void exchanged_rows(Pass& pass, int b, const Legs& legs);
    template <class Pass> void back_from_rows(Pass& pass, int b, const Legs& legs);
    template <class Pass> void rows_in(const Pass& pass, int executor, const Block& z);
    template <class Pass> void rows_out(const Pass& pass, int executor, const Block& z);
    template <class Pass>
    kernels::Contract<Real, Pass> contraction(const Pass& pass, int executor, const Block& z,
                                              int first_product, int first_flux);
    template <class Pass>
    void contract_planes(const Pass& pass, int executor, const Block& z, int first_product, int first_flux);
    // The same with the lines behind or before it, all in the memory of blocks, if they have room for so
    // many variables' lines at once.
    bool in_blocks(const ByBasis<std::vector<LinesOf>>& z_lines, const kernels::Tile<Real>& t,
                   int variables) const;
    bool in_blocks(const Block& z, int products) const;
    kernels::ModeColumns<Real> mode_columns(const kernels::Tile<Real>& t, int first_variable);
    template <class Pass> void load_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t);
    template <class Pass> void store_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t);
    template <class Pass> void contract_lines(const Pass& pass, int executor, const Block& z);
    // Rows y0, ..., y0 + rows - 1 of pieces through x, the points, and back.
    template <class Pass>
    void points(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                const kernels::RowPiece<Real>* pieces);
    template <class Pass>
    void lane_points(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                     const kernels::RowPiece<Real>* pieces);
    template <class Pass>
    void line_points(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                     const kernels::RowPiece<Real>* pieces);
    template <class Pass>
    void block_points(const Pass& pass, int executor, const kernels::RowOrder& order, int y0, int rows,
                      const kernels::RowPiece<Real>* pieces);
    template <class Pass>
    void work_at_points(const Pass& pass, int executor, const kernels::RowOrder& order,
                        const kernels::LineBlock<Real>& in, const kernels::LineBlock<Real>& out);
    template <class Pass> void measure(const Pass& pass, int executor, const kernels::LineBlock<Real>& block);
    template <class Maxima> void add_maxima(const Maxima& maxima, int number, int executor);

    Pencils pencils_;
    Layout layout_;
    RowTable table_;
    Device& device_;
    const exchange::Communicator& world_;
    std::exception_ptr failure_; // of a device, met where nothing could be thrown
    Exchanges<Device, Real> exchanges_;
    RoundTripOptions options_;
    LineChoice lines_;
    Workspace workspace_;
    double scale_; // 1 / (nx ny nz), of the doubled axes where there are walls

    // Of the pass on its way.
    struct Parities {
        std::vector<Parity> inputs, products;
        std::vector<FluxParity> fluxes;
    };
    Parities parities_;

    Buffer<Real> kx_, ky_, kz_, all_ky_;
    std::array<Buffer<int>, 3> numbers_; // signed wavenumbers of kx_, ky_, kz_
    std::array<Buffer<Value>, 3> shift_;
    bool shifted_ = false;
    Table<Row> rows_;
    Table<PlaneSlot> pencil_slots_, plane_slots_;
    Table<ColumnRow> column_rows_;
    std::vector<kernels::Segment> segments_; // of one tile after another
    Table<kernels::Segment> segment_table_;
    Buffer<ColumnPlace> column_places_; // where work is enqueued
    std::vector<ColumnTile> tiles_;
    std::vector<Executor> executors_;
    std::vector<std::array<double, 2>> maxima_;
    ByBasis<std::vector<LinesOf>> z_in_, z_out_;                   // by tile_width
    ByBasis<std::map<int, LinesOf>> y_in_, y_out_;                 // by planes
    std::unique_ptr<device::RowLines<Real>> row_lines_;            // or, where work is enqueued:
    std::unique_ptr<device::LineTables<Memory, Real>> row_tables_; // or, for other kinds of lines:
    ByBasis<std::map<int, LinesOf>> x_in_, x_out_;                 // by pairs of rows
};

} // namespace whorl
