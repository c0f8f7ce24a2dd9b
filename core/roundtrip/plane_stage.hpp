// The stage of planes: some at a time, between the y-pencil and rows along x (docs/method.md, "Round trip").
//
//   y-pencil -y lines-> planes,   planes -y lines-> products of one kx, ky -contract-> y-pencil
//
// Where a row of ranks shares planes their rows are exchanged from and to here.
#pragma once

#include <map>
#include <memory>
#include <set>
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

template <class Device, class Real> class PlaneStage {
  public:
    PlaneStage(const Layout& layout, Device& device, Executors<Device, Real>& executors,
               Exchanges<Device, Real>& exchanges, const ModeSpace<Device, Real>& modes,
               const Parities& parities);

    // For the workspace the executors have now.
    void take_lines(const LineChoice& choice);

    // Of the planes of a batch, those that an executor takes at a time.
    int groups(const Block& planes) const {
        return (planes.size() + executors_.workspace.planes - 1) / executors_.workspace.planes;
    }
    Block group(const Block& planes, std::int64_t number) const {
        const int begin = planes.begin + static_cast<int>(number) * executors_.workspace.planes;
        return {begin, std::min(begin + executors_.workspace.planes, planes.end)};
    }
    // How many planes these may be.
    std::set<int> group_sizes() const;
    kernels::Planes<Real> planes(int executor, const Block& z);

    template <class Pass> void inwards(const Pass& pass, int executor, const Block& z) {
        if constexpr (Pass::inputs > 0) lines_in(executor, z, widths_of(pass).inputs);
    }
    template <class Pass> void outwards(const Pass& pass, int executor, const Block& z);

    // The lines alone.
    void lines_in(int executor, const Block& z, int variables);
    void lines_out(int executor, const Block& z, int variables);

    // Rows of planes of batch b, to and from the buffer in which they travel.
    template <bool to_buffer> void move_rows(int executor, const Block& z, int b, int variables);

    // While an executor works at the points of planes z of a batch, the rows of the y-pencil that its next y
    // lines begin with are fetched: those that are due when so many more points are done.
    void find_next(int executor, const Block& z, const Block& batch, int variables);
    void fetch_next(int executor, std::int64_t points);

  private:
    using Value = Complex<Real>;
    using Memory = typename Device::Memory;
    using Lines = typename Device::template Lines<Real>;
    using BySize = std::map<int, std::unique_ptr<Lines>>; // by planes
    struct NextPlane {
        kernels::Spread<Real> spread{};
        std::int64_t rows = 0, fetched = 0;
        std::int64_t points = 0; // of the plane in hand that are done
    };

    const PlaneSlot* slots_of(const Block& z) const {
        return y_pencil_slots_.data() +
               static_cast<std::int64_t>(z.begin - layout_.z.begin) * layout_.grid.p_col;
    }
    kernels::Spread<Real> spread_of(int executor, const Block& z);
    template <class LinesOfVariable>
    void gather_plane(int executor, const kernels::Spread<Real>& spread, int variables,
                      const LinesOfVariable& lines);
    // Of a pass, or a part: the first of its products and of its fluxes are these numbers of all.
    template <class Pass>
    kernels::Contract<Real, Pass> contraction(const Pass& pass, int executor, const Block& z,
                                              int first_product, int first_flux);
    template <class Pass>
    void contract(const Pass& pass, int executor, const Block& z, int first_product, int first_flux);
    template <class Kernel, class Pass>
    void contract_rows(const Kernel& kernel, const kernels::Contract<Real, Pass>& contract, int executor,
                       const Block& z);
    // The same with the lines before it, in the memory of blocks, if they have room for so many products.
    bool in_blocks(const Block& z, int products) const;
    template <class Pass> void contract_lines(const Pass& pass, int executor, const Block& z);

    const Layout& layout_;
    Device& device_;
    Executors<Device, Real>& executors_;
    Exchanges<Device, Real>& exchanges_;
    const ModeSpace<Device, Real>& modes_;
    const Parities& parities_;
    device::Table<PlaneSlot, Memory> y_pencil_slots_;
    device::Table<ColumnRow, Memory> column_rows_;
    std::vector<NextPlane> next_; // by executors
    AxisLines<BySize> in_, out_;
};

} // namespace whorl
