// Compiled once for each device.
#include "programs/remap_modes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "device/buffer.hpp"
#include "device/chosen.hpp"
#include "exchange/neighbours.hpp"
#include "programs/probes.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

// Fields in the layout of another round trip (programs/remap_modes.hpp) if one rank has all modes. Each mode
// is read from its place, row by row of that layout, without lists of modes to exchange.

// The numbers of the mode that is a mode of the swapped box or, if `conjugate`, whose conjugate is. With axis
// = 0 nothing is swapped.
struct SwappedNumbers {
    ModeNumbers numbers;
    bool conjugate;

    WHORL_INLINE SwappedNumbers(const ModeNumbers& there, int axis, const std::array<bool, 3>& walls)
        : numbers(there), conjugate(false) {
        if (axis == 0) return;
        numbers[0] = axis == 1 ? there[1] : there[2];
        (axis == 1 ? numbers[1] : numbers[2]) = there[0];
        conjugate = numbers[0] < 0;
        for (std::size_t a = 0; a < 3; ++a)
            if (conjugate && !walls[a]) numbers[a] = -numbers[a];
    }
};

template <class Real> struct RemapRows {
    const Row *from_rows, *to_rows;           // [ky][kz]
    const int *from_x, *from_y, *to_x, *to_y; // places of kx and of indices of ky; numbers of own kx and ky
    int from_nz, to_nz, axis;
    ModeNumbers extent;        // the largest numbers of `from`
    std::array<bool, 3> walls; // of `to`, none along axes that are swapped
    const Complex<Real>* from = nullptr;
    Complex<Real>* to = nullptr;
    Real sign = 1; // of conjugates

    struct RowOf {
        const RemapRows& of;
        std::int64_t number;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int j = static_cast<int>(number / of.to_nz), l = static_cast<int>(number % of.to_nz);
            const ModeNumbers there{of.to_x[i], of.to_y[j], line_number(l, of.to_nz, of.walls[2])};
            const auto [n, conjugate] = SwappedNumbers(there, of.axis, of.walls);
            const Complex<Real> value = of.value(n);
            of.to[of.to_rows[number].offset + i] =
                conjugate ? Complex<Real>{of.sign * value.re, -of.sign * value.im} : value;
        }
    };
    // The value of a kept mode with n_x >= 0.
    WHORL_INLINE Complex<Real> value(const ModeNumbers& n) const {
        return from[row_of(n[1], n[2]).offset + from_x[n[0]]];
    }
    static WHORL_INLINE bool is_beyond(int number, int most) { return number > most || -number > most; }
    // The row of `from` with these numbers, which are not beyond its extent.
    WHORL_INLINE Row row_of(int ky, int kz) const {
        const int j = from_y[wrapped(ky, 2 * extent[1] + 1)];
        return from_rows[1LL * j * from_nz + wrapped(kz, from_nz)];
    }
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, r, to_rows[r].length}; }
};

// Copies rows if no axis is swapped and both layouts have all kx in order: the beginning of a row is a row of
// the other.
template <class Real> struct CopyRows {
    RemapRows<Real> of;

    struct RowOf {
        const Complex<Real>* from;
        Complex<Real>* to;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { to[i] = from[i]; }
    };
    // Later modes of a row, which are zero already, are not touched.
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int j = static_cast<int>(r / of.to_nz), l = static_cast<int>(r % of.to_nz);
        const int ky = of.to_y[j], kz = line_number(l, of.to_nz, of.walls[2]);
        const Row there = of.to_rows[r];
        if (of.is_beyond(ky, of.extent[1]) || of.is_beyond(kz, of.extent[2])) return {nullptr, nullptr, 0};
        const Row here = of.row_of(ky, kz);
        return {of.from + here.offset, of.to + there.offset,
                here.length < there.length ? here.length : there.length};
    }
};

// The sign of conjugates: -1 for an odd number of walled axes along which a field is odd.
template <class Real> Real sign_of_conjugates(const std::array<bool, 3>& walls, const Parity& parity) {
    const bool odd = (walls[1] && parity.y) != (walls[2] && parity.z);
    return odd ? Real(-1) : Real(1);
}

// Sets fields of the layout `to` from those of `from`.
template <class Device, class Real>
void remap_on_one_rank(const RoundTrip<Device, Real>& from, const RoundTrip<Device, Real>& to, int axis,
                       const std::vector<NamedField<Real>>& fields,
                       const std::vector<Complex<Real>*>& remapped) {
    const Layout &here = from.layout(), &there = to.layout();
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<int> from_x(at(here.kept_x)), from_y(at(here.kept_y)), to_x, to_y;
    for (int i = 0; i < here.kept_x; ++i) from_x[at(from.table().kx().at(i))] = i;
    for (int j = 0; const int ky : from.table().ky()) from_y[at(ky)] = j++;
    for (int i = 0; i < there.kept_x; ++i) to_x.push_back(to.table().kx().at(i));
    for (const int ky : to.table().ky()) to_y.push_back(signed_index(ky, there.extent_y));
    using Table = device::Table<int, typename Device::Memory>;
    const Table from_x_table(from_x), from_y_table(from_y), to_x_table(to_x), to_y_table(to_y);
    RemapRows<Real> kernel{from.modes().rows,
                           to.modes().rows,
                           from_x_table.data(),
                           from_y_table.data(),
                           to_x_table.data(),
                           to_y_table.data(),
                           here.nz,
                           there.nz,
                           axis,
                           {here.kept_x - 1, here.extent_y, here.extent_z},
                           there.walls};
    for (std::size_t f = 0; f < fields.size(); ++f) {
        kernel.from = fields[f].modes;
        kernel.to = remapped[f];
        kernel.sign = sign_of_conjugates<Real>(there.walls, fields[f].parity);
        const auto rows = static_cast<std::int64_t>(to.table().rows().size());
        if (axis == 0)
            to.device().over(rows, CopyRows<Real>{kernel});
        else
            to.device().over(rows, kernel);
    }
    to.device().finish();
}

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A mode of a rank: its row, a ky and kz, and its place in the row.
struct PlaceOfMode {
    std::int32_t row, place;
};

// The rank that has a mode, and the mode's place there.
class ModeOwners {
  public:
    ModeOwners(const Pencils& pencils, const Layout& layout)
        : nz_(layout.nz), extent_y_(layout.extent_y), p_row_(pencils.grid().p_row), of_x_(at(layout.kept_x)),
          of_y_(at(p_row_)) {
        for (int r = 0; r < p_row_; ++r) {
            const Dealt kx = pencils.kx(r);
            for (int i = 0; i < kx.size(); ++i) of_x_[at(kx.at(i))] = {r, i};
            of_y_[at(r)].resize(at(layout.kept_y));
            for (int c = 0; c < pencils.grid().p_col; ++c)
                for (int j = 0; const int ky : pencils.ky(r, c)) of_y_[at(r)][at(ky)] = {c, j++};
        }
    }
    // The rank of a mode with n_x >= 0, and its place there.
    std::pair<int, PlaceOfMode> of(const ModeNumbers& n) const {
        const auto [r, i] = of_x_[at(n[0])];
        const auto [c, j] = of_y_[at(r)][at(wrapped(n[1], 2 * extent_y_ + 1))];
        return {c * p_row_ + r, {j * nz_ + wrapped(n[2], nz_), i}};
    }

  private:
    struct ModeShare {
        int part, place;
    };
    int nz_, extent_y_, p_row_;
    std::vector<ModeShare> of_x_;              // [kx]
    std::vector<std::vector<ModeShare>> of_y_; // [r][index of ky]
};

// A kernel of `count` elements, `together` in a row.
template <class Of> struct InRows {
    static constexpr int together = 1024;
    Of of;
    std::int64_t count;

    struct RowOf {
        const Of& of;
        std::int64_t first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { of.run(first + i); }
    };
    std::int64_t rows() const { return (count + together - 1) / together; }
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const std::int64_t first = r * together, left = count - first;
        return {of, first, static_cast<int>(left < together ? left : together)};
    }
};
// values[i] = field[modes[i]]
template <class Real> struct GatherModes {
    const Complex<Real>* field;
    const std::int64_t* modes;
    Complex<Real>* values;
    WHORL_INLINE void run(std::int64_t i) const { values[i] = field[modes[i]]; }
};
// field[n] = values[i], or its conjugate times a sign for ~n in place of n
template <class Real> struct ScatterModes {
    const Complex<Real>* values;
    const std::int64_t* modes;
    Complex<Real>* field;
    Real sign;
    WHORL_INLINE void run(std::int64_t i) const {
        const std::int64_t mode = modes[i];
        const Complex<Real> value = values[i];
        field[mode < 0 ? ~mode : mode] = mode < 0 ? Complex<Real>{sign * value.re, -sign * value.im} : value;
    }
};

// The modes that a rank asks of all ranks in one round, grouped by rank.
struct Asked {
    std::vector<int> counts;         // [rank]
    std::vector<PlaceOfMode> places; // there
    std::vector<std::int64_t> modes; // here; ~n where the conjugate is wanted
};

template <class Device, class Real> class Remap {
    using Memory = typename Device::Memory;

  public:
    Remap(const RoundTrip<Device, Real>& from, const Truncation& kept, RoundTrip<Device, Real>& to,
          const exchange::Communicator& world, int axis)
        : from_(from), kept_(kept), to_(to), world_(world), axis_(axis),
          owners_(from.pencils(), from.layout()) {}

    void run(const std::vector<NamedField<Real>>& fields, const std::vector<Complex<Real>*>& remapped) {
        // Some rows at a time, in as many rounds on every rank.
        const auto rows = static_cast<std::int64_t>(to_.table().rows().size());
        const std::int64_t longest = std::max<std::int64_t>(to_.layout().kept_x, 1);
        const std::int64_t at_once = std::max<std::int64_t>(most_remapped / longest, 1);
        double rounds = static_cast<double>((rows + at_once - 1) / at_once);
        world_.maximum({&rounds, 1});
        for (std::int64_t n = 0; n < static_cast<std::int64_t>(rounds); ++n) {
            const Asked asked = ask(std::min(n * at_once, rows), std::min((n + 1) * at_once, rows));
            bring(asked, fields, remapped);
        }
    }

  private:
    // The modes of the rows from `begin` to `end`.
    Asked ask(std::int64_t begin, std::int64_t end) const {
        struct Wanted {
            int rank;
            PlaceOfMode place;
            std::int64_t mode;
        };
        std::vector<Wanted> wanted;
        const Layout& layout = to_.layout();
        const Dealt kx = to_.table().kx();
        for (std::int64_t row = begin; row < end; ++row) {
            const Row modes = to_.table().rows()[at(row)];
            ModeNumbers n{0, signed_index(layout.ky[at(row / layout.nz)], layout.extent_y),
                          line_number(static_cast<int>(row % layout.nz), layout.nz, layout.walls[2])};
            // The swapped box has all modes.
            const int most = axis_ == 0 ? kx.below(kept_.row_length(n[1], n[2])) : modes.length;
            for (int i = 0; i < std::min(modes.length, most); ++i) {
                n[0] = kx.at(i);
                const auto [there, conjugate] = SwappedNumbers(n, axis_, layout.walls);
                const auto [rank, place] = owners_.of(there);
                wanted.push_back({rank, place, conjugate ? ~(modes.offset + i) : modes.offset + i});
            }
        }
        Asked asked;
        asked.counts.assign(at(world_.size()), 0);
        for (const Wanted& one : wanted) ++asked.counts[at(one.rank)];
        std::vector<std::int64_t> next(asked.counts.size(), 0);
        for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + asked.counts[r - 1];
        asked.places.resize(wanted.size());
        asked.modes.resize(wanted.size());
        for (const Wanted& one : wanted) {
            const std::size_t to = at(next[at(one.rank)]++);
            asked.places[to] = one.place;
            asked.modes[to] = one.mode;
        }
        return asked;
    }

    void bring(const Asked& asked, const std::vector<NamedField<Real>>& fields,
               const std::vector<Complex<Real>*>& remapped) {
        const std::vector<int> counts = exchange::counts_for_this(world_, asked.counts);
        std::int64_t sent = 0;
        for (const int count : counts) sent += count;
        std::vector<PlaceOfMode> places(at(sent));
        exchange::exchange_items(world_, asked.places.data(), asked.counts, places.data(), counts,
                                 sizeof(PlaceOfMode));
        std::vector<std::int64_t> modes;
        for (const auto& [row, place] : places) modes.push_back(from_.table().rows()[at(row)].offset + place);

        const device::Table<std::int64_t, Memory> from_modes(modes), to_modes(asked.modes);
        device::Buffer<Complex<Real>, Memory> values(modes.size()), received(asked.modes.size());
        for (std::size_t f = 0; f < fields.size(); ++f) {
            over(GatherModes<Real>{fields[f].modes, from_modes.data(), values.data()}, modes.size());
            exchange_values(values, counts, received, asked.counts);
            over(ScatterModes<Real>{received.data(), to_modes.data(), remapped[f],
                                    sign_of_conjugates<Real>(to_.layout().walls, fields[f].parity)},
                 asked.modes.size());
        }
    }
    template <class Kernel> void over(const Kernel& kernel, std::size_t count) const {
        const InRows<Kernel> in_rows{kernel, static_cast<std::int64_t>(count)};
        if (count > 0) from_.device().over(in_rows.rows(), in_rows);
        from_.device().finish();
    }
    void exchange_values(const device::Buffer<Complex<Real>, Memory>& values, const std::vector<int>& counts,
                         device::Buffer<Complex<Real>, Memory>& received,
                         const std::vector<int>& received_counts) const {
        if constexpr (Memory::separate) {
            std::vector<Complex<Real>> out(values.size()), in(received.size());
            Memory::to_host(out.data(), values.data(), values.bytes());
            exchange::exchange_items(world_, out.data(), counts, in.data(), received_counts,
                                     sizeof(Complex<Real>));
            Memory::from_host(received.data(), in.data(), received.bytes());
        } else {
            exchange::exchange_items(world_, values.data(), counts, received.data(), received_counts,
                                     sizeof(Complex<Real>));
        }
    }

    const RoundTrip<Device, Real>& from_;
    const Truncation& kept_;
    const RoundTrip<Device, Real>& to_;
    const exchange::Communicator& world_;
    int axis_;
    ModeOwners owners_;
};

} // namespace

template <class Device, class Real>
void remap_modes(const RoundTrip<Device, Real>& from, const Truncation& kept, RoundTrip<Device, Real>& to,
                 const exchange::Communicator& world, int axis, const std::vector<NamedField<Real>>& fields,
                 const std::vector<Complex<Real>*>& remapped) {
    const auto& walls = from.layout().walls;
    WHORL_REQUIRE(axis == 0 || (!walls[0] && !walls[at(axis)]), "axes between walls are not swapped.");
    const exchange::Watchdog::Scope watched(to.exchanges().watchdog(), "move of modes", -1);
    if (world.size() == 1)
        remap_on_one_rank(from, to, axis, fields, remapped);
    else
        Remap<Device, Real>(from, kept, to, world, axis).run(fields, remapped);
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void remap_modes(const RoundTrip<device::Chosen, Real>&, const Truncation&,                     \
                              RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, int,          \
                              const std::vector<NamedField<Real>>&, const std::vector<Complex<Real>*>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs
