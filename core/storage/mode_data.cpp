#include "storage/mode_data.hpp"

#include <algorithm>
#include <array>

#include "models/continuity.hpp"
#include "storage/checksum.hpp"

namespace whorl::storage {

namespace {

constexpr std::size_t staging_bytes = std::size_t{64} << 20;

// Wavenumbers of a rank's modes, rounded as the round trip rounds them.
template <class Real> struct Wavenumbers {
    std::vector<Real> x, y, z;

    explicit Wavenumbers(const ModeShare& share) {
        const auto add = [&](std::vector<Real>& to, int axis, int n) {
            to.push_back(static_cast<Real>(n * share.box.unit(axis)));
        };
        const Dealt kx = share.table.kx();
        const int nz = share.table.nz();
        for (int i = 0; i < kx.size(); ++i) add(x, 0, kx.at(i));
        for (const int j : share.table.ky()) add(y, 1, signed_index(j, share.truncation.extent(1)));
        for (int l = 0; l < nz; ++l) add(z, 2, line_number(l, nz, share.box.wall(2)));
    }
    Wavenumber<Real> at(int i, int j, int l) const {
        return {x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)],
                z[static_cast<std::size_t>(l)]};
    }
};

// Some of a rank's kx, one after another, staged in the order of the file.
struct Slice {
    int begin, end;
    std::vector<std::int64_t> offset; // of each kx in the staging area, and of the end
};

// As many kx a slice as fit, at least one.
std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode) {
    const auto most = static_cast<std::int64_t>(staging_bytes / bytes_per_mode);
    std::vector<Slice> slices;
    for (int i = 0; i < order.width(); ++i) {
        if (slices.empty() || slices.back().offset.back() + order.modes(i) > most)
            slices.push_back({i, i, {0}});
        Slice& slice = slices.back();
        slice.offset.push_back(slice.offset.back() + order.modes(i));
        slice.end = i + 1;
    }
    return slices;
}

// Room for the `count` stored components of the largest slice.
template <class Real, std::size_t count> struct Staging {
    std::array<std::vector<Complex<Real>>, count> component;

    explicit Staging(const std::vector<Slice>& slices) {
        std::int64_t largest = 0;
        for (const Slice& slice : slices) largest = std::max(largest, slice.offset.back());
        for (auto& values : component) values.resize(static_cast<std::size_t>(largest));
    }
    std::array<Complex<Real>, count> at(std::size_t staged) const {
        std::array<Complex<Real>, count> values;
        for (std::size_t c = 0; c < count; ++c) values[c] = component[c][staged];
        return values;
    }
    void set(std::size_t staged, const std::array<Complex<Real>, count>& values) {
        for (std::size_t c = 0; c < count; ++c) component[c][staged] = values[c];
    }
};

struct Place {
    int i, j, l;
    std::int64_t state, file; // index within a field, place in the file
    std::size_t staged;
};

// Sum of f(place) over the modes of a slice.
template <class F> std::uint64_t sum_slice(const ModeShare& share, const Slice& slice, const F& f) {
    const ModeOrder& order = share.order;
    const int nz = share.table.nz();
    std::vector<std::int64_t> staged(slice.offset); // of each kx, at the next column
    std::uint64_t sum = 0;
    for (int j = 0; j < order.height(); ++j) {
        const Row* const rows = share.table.rows().data() + static_cast<std::ptrdiff_t>(j) * nz;
        for (int i = slice.begin; i < slice.end; ++i) {
            const std::int64_t begin = order.begin(i, j), count = order.column(i, j);
            std::int64_t& next = staged[static_cast<std::size_t>(i - slice.begin)];
            for (std::int64_t m = 0; m < count; ++m, ++next) {
                const int l = order.line_index(m, count);
                sum += f(Place{i, j, l, rows[l].offset + i, begin + m, static_cast<std::size_t>(next)});
            }
        }
    }
    return sum;
}

// transfer(first mode in the file, modes, where they are staged) for each contiguous run of a slice.
template <class Transfer>
void each_run(const ModeOrder& order, const Slice& slice, const Transfer& transfer) {
    for (int i = slice.begin; i < slice.end; ++i) {
        std::int64_t staged = slice.offset[static_cast<std::size_t>(i - slice.begin)];
        for (int j = 0; j < order.height();) {
            const std::int64_t begin = order.begin(i, j);
            std::int64_t count = 0;
            while (j < order.height() && order.begin(i, j) == begin + count) count += order.column(i, j++);
            if (count > 0) transfer(begin, count, static_cast<std::size_t>(staged));
            staged += count;
        }
    }
}

// Sets the component along `axis` from k.a = 0; for the mean, which has axis 3, z is as given.
template <class Real> void complete(Wavenumber<Real> k, int axis, Complex<Real> mean_z, Complex<Real>* a) {
    if (axis == 3) {
        a[2] = mean_z;
        return;
    }
    const Real along = axis == 0 ? k.x : (axis == 1 ? k.y : k.z);
    a[axis] = {0, 0};
    a[axis] = (Real(-1) / along) * (k.x * a[0] + k.y * a[1] + k.z * a[2]);
    close_continuity(k, a);
}

template <class To, class From> Complex<To> converted(Complex<From> a) {
    return {static_cast<To>(a.re), static_cast<To>(a.im)};
}

// How the components of a mode become those that are stored, and back. Which component of a solenoidal field
// is missing was decided in the precision of the file.
template <class Stored, class Real> struct SolenoidalPacking {
    static constexpr std::size_t count = 2;
    Wavenumbers<Stored> stored_k;
    Wavenumbers<Real> k;
    Complex<Real> mean_z;
    std::int64_t modes;

    std::array<Complex<Real>, count> pack(const Place& at, const Complex<Real>* field) const {
        const int dependent = dependent_axis(k.at(at.i, at.j, at.l));
        return {field[(dependent == 0 ? modes : 0) + at.state],
                field[(dependent <= 1 ? 2 : 1) * modes + at.state]};
    }
    void unpack(const Place& at, const std::array<Complex<Stored>, count>& values,
                Complex<Real>* field) const {
        const int missing = dependent_axis(stored_k.at(at.i, at.j, at.l));
        Complex<Real> a[3];
        a[missing == 0 ? 1 : 0] = converted<Real>(values[0]);
        a[missing <= 1 ? 2 : 1] = converted<Real>(values[1]);
        complete(k.at(at.i, at.j, at.l), missing, mean_z, a);
        for (int v = 0; v < 3; ++v) field[v * modes + at.state] = a[v];
    }
};
template <class Stored, class Real> struct ScalarPacking {
    static constexpr std::size_t count = 1;

    std::array<Complex<Real>, count> pack(const Place& at, const Complex<Real>* field) const {
        return {field[at.state]};
    }
    void unpack(const Place& at, const std::array<Complex<Stored>, count>& values,
                Complex<Real>* field) const {
        field[at.state] = converted<Real>(values[0]);
    }
};

// f(packing) with the one of the field.
template <class Stored, class Real, class F>
std::uint64_t with_packing(const ModeShare& share, const StoredField<Real>& field, Complex<double> mean_z,
                           const F& f) {
    if (!field.solenoidal) return f(ScalarPacking<Stored, Real>{});
    return f(SolenoidalPacking<Stored, Real>{Wavenumbers<Stored>(share), Wavenumbers<Real>(share),
                                             converted<Real>(mean_z), share.table.modes()});
}

template <class Stored, class Real>
std::uint64_t read_stored(const std::vector<Dataset>& data, const ModeShare& share, Complex<double> mean_z,
                          const StoredField<Real>& field) {
    return with_packing<Stored>(share, field, mean_z, [&]<class Packing>(const Packing& packing) {
        const auto slices = slices_of(share.order, Packing::count * sizeof(Complex<Stored>));
        Staging<Stored, Packing::count> staging(slices);
        std::uint64_t checksum = 0;
        for (const Slice& slice : slices) {
            each_run(share.order, slice, [&](std::int64_t begin, std::int64_t count, std::size_t staged) {
                const Shape from{static_cast<hsize_t>(begin), 0}, shape{static_cast<hsize_t>(count), 2};
                for (std::size_t c = 0; c < Packing::count; ++c)
                    read_block(data[c], from, shape, &staging.component[c][staged].re);
            });
            checksum += sum_slice(share, slice, [&](const Place& at) {
                const auto values = staging.at(at.staged);
                packing.unpack(at, values, field.data);
                return hash_mode(at.file, values);
            });
        }
        return checksum;
    });
}

} // namespace

template <class Real>
std::uint64_t write_modes(const WholeFile& file, const std::vector<std::int64_t>& offsets,
                          const ModeShare& share, const StoredField<Real>& field) {
    return with_packing<Real>(share, field, {}, [&]<class Packing>(const Packing& packing) {
        const auto slices = slices_of(share.order, Packing::count * sizeof(Complex<Real>));
        Staging<Real, Packing::count> staging(slices);
        std::uint64_t checksum = 0;
        for (const Slice& slice : slices) {
            checksum += sum_slice(share, slice, [&](const Place& at) {
                const auto values = packing.pack(at, field.data);
                staging.set(at.staged, values);
                return hash_mode(at.file, values);
            });
            each_run(share.order, slice, [&](std::int64_t begin, std::int64_t count, std::size_t staged) {
                constexpr auto size = static_cast<std::int64_t>(sizeof(Complex<Real>));
                for (std::size_t c = 0; c < Packing::count; ++c)
                    file.write(offsets[c] + begin * size, &staging.component[c][staged],
                               static_cast<std::size_t>(count * size));
            });
        }
        return checksum;
    });
}

template <class Real>
std::uint64_t read_modes(const std::vector<Dataset>& data, const ModeShare& share, Complex<double> mean_z,
                         const StoredField<Real>& field) {
    if (real_bytes(data.front()) == sizeof(float)) return read_stored<float>(data, share, mean_z, field);
    return read_stored<double>(data, share, mean_z, field);
}

using Offsets = std::vector<std::int64_t>;
template std::uint64_t write_modes(const WholeFile&, const Offsets&, const ModeShare&,
                                   const StoredField<float>&);
template std::uint64_t write_modes(const WholeFile&, const Offsets&, const ModeShare&,
                                   const StoredField<double>&);
template std::uint64_t read_modes(const std::vector<Dataset>&, const ModeShare&, Complex<double>,
                                  const StoredField<float>&);
template std::uint64_t read_modes(const std::vector<Dataset>&, const ModeShare&, Complex<double>,
                                  const StoredField<double>&);

} // namespace whorl::storage
