#include "storage/mode_data.hpp"

#include <algorithm>

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
        const Block kx = share.table.kx(), ky = share.table.ky();
        const int nz = share.table.nz();
        for (int i = kx.begin; i < kx.end; ++i) add(x, 0, i);
        for (int j = ky.begin; j < ky.end; ++j) add(y, 1, signed_index(j, share.truncation.extent(1)));
        for (int l = 0; l < nz; ++l) add(z, 2, l <= nz / 2 ? l : l - nz);
    }
    Wavenumber<Real> at(int i, int j, int l) const {
        return {x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)],
                z[static_cast<std::size_t>(l)]};
    }
};

// Consecutive kx of a rank, staged in the order of the file.
struct Slice {
    int begin, end;
    std::vector<std::int64_t> offset; // of each kx in the staging area, and of the end
};

// As many kx a slice as fit, at least one.
std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode) {
    const auto most = static_cast<std::int64_t>(staging_bytes / bytes_per_mode);
    std::vector<Slice> slices;
    for (int i = 0; i < order.width(); ++i) {
        if (slices.empty() || slices.back().offset.back() + order.run(i) > most)
            slices.push_back({i, i, {0}});
        Slice& slice = slices.back();
        slice.offset.push_back(slice.offset.back() + order.run(i));
        slice.end = i + 1;
    }
    return slices;
}

// Room for both components of the largest slice.
template <class Real> struct Staging {
    std::vector<Complex<Real>> first, second;

    explicit Staging(const std::vector<Slice>& slices) {
        std::int64_t largest = 0;
        for (const Slice& slice : slices) largest = std::max(largest, slice.offset.back());
        first.resize(static_cast<std::size_t>(largest));
        second.resize(first.size());
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
    std::uint64_t sum = 0;
    for (int j = 0; j < order.height(); ++j) {
        const Row* const rows = share.table.rows().data() + static_cast<std::ptrdiff_t>(j) * nz;
        for (int i = slice.begin; i < slice.end; ++i) {
            const std::int64_t begin = order.begin(i, j), count = order.column(i, j);
            const std::int64_t staged =
                slice.offset[static_cast<std::size_t>(i - slice.begin)] + begin - order.begin(i, 0);
            for (std::int64_t m = 0; m < count; ++m) {
                const int l = order.line_index(m, count);
                sum += f(Place{i, j, l, rows[l].offset + i, begin + m, static_cast<std::size_t>(staged + m)});
            }
        }
    }
    return sum;
}

// transfer(first mode in the file, modes, where they are staged) for each kx of a slice: contiguous runs.
template <class Transfer>
void each_run(const ModeOrder& order, const Slice& slice, const Transfer& transfer) {
    for (int i = slice.begin; i < slice.end; ++i) {
        const std::int64_t staged = slice.offset[static_cast<std::size_t>(i - slice.begin)];
        if (order.run(i) > 0) transfer(order.begin(i, 0), order.run(i), static_cast<std::size_t>(staged));
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

template <class Stored, class Real>
std::uint64_t read_stored(const ModeData& data, const ModeShare& share, Complex<double> mean_z,
                          Complex<Real>* field) {
    const auto slices = slices_of(share.order, 2 * sizeof(Complex<Stored>));
    Staging<Stored> staging(slices);
    // Which component is missing was decided in the precision of the file.
    const Wavenumbers<Stored> stored_k(share);
    const Wavenumbers<Real> k(share);
    const Complex<Real> mean = converted<Real>(mean_z);
    const std::int64_t modes = share.table.modes();
    std::uint64_t checksum = 0;
    for (const Slice& slice : slices) {
        each_run(share.order, slice, [&](std::int64_t begin, std::int64_t count, std::size_t staged) {
            const Shape from{static_cast<hsize_t>(begin), 0}, shape{static_cast<hsize_t>(count), 2};
            read_block(data.first, from, shape, &staging.first[staged].re);
            read_block(data.second, from, shape, &staging.second[staged].re);
        });
        checksum += sum_slice(share, slice, [&](const Place& at) {
            const Complex<Stored> first = staging.first[at.staged], second = staging.second[at.staged];
            const int missing = dependent_axis(stored_k.at(at.i, at.j, at.l));
            Complex<Real> a[3];
            a[missing == 0 ? 1 : 0] = converted<Real>(first);
            a[missing <= 1 ? 2 : 1] = converted<Real>(second);
            complete(k.at(at.i, at.j, at.l), missing, mean, a);
            for (int v = 0; v < 3; ++v) field[v * modes + at.state] = a[v];
            return hash_mode(at.file, first, second);
        });
    }
    return checksum;
}

} // namespace

template <class Real>
std::uint64_t write_modes(const WholeFile& file, ModeOffsets offsets, const ModeShare& share,
                          const Complex<Real>* field) {
    const auto slices = slices_of(share.order, 2 * sizeof(Complex<Real>));
    Staging<Real> staging(slices);
    const Wavenumbers<Real> k(share);
    const std::int64_t modes = share.table.modes();
    std::uint64_t checksum = 0;
    for (const Slice& slice : slices) {
        checksum += sum_slice(share, slice, [&](const Place& at) {
            const int dependent = dependent_axis(k.at(at.i, at.j, at.l));
            const Complex<Real> first = field[(dependent == 0 ? modes : 0) + at.state];
            const Complex<Real> second = field[(dependent <= 1 ? 2 : 1) * modes + at.state];
            staging.first[at.staged] = first;
            staging.second[at.staged] = second;
            return hash_mode(at.file, first, second);
        });
        each_run(share.order, slice, [&](std::int64_t begin, std::int64_t count, std::size_t staged) {
            constexpr auto size = static_cast<std::int64_t>(sizeof(Complex<Real>));
            const auto bytes = static_cast<std::size_t>(count * size);
            file.write(offsets.first + begin * size, &staging.first[staged], bytes);
            file.write(offsets.second + begin * size, &staging.second[staged], bytes);
        });
    }
    return checksum;
}

template <class Real>
std::uint64_t read_modes(const ModeData& data, const ModeShare& share, Complex<double> mean_z,
                         Complex<Real>* field) {
    if (real_bytes(data.first) == sizeof(float)) return read_stored<float>(data, share, mean_z, field);
    return read_stored<double>(data, share, mean_z, field);
}

template std::uint64_t write_modes(const WholeFile&, ModeOffsets, const ModeShare&, const Complex<float>*);
template std::uint64_t write_modes(const WholeFile&, ModeOffsets, const ModeShare&, const Complex<double>*);
template std::uint64_t read_modes(const ModeData&, const ModeShare&, Complex<double>, Complex<float>*);
template std::uint64_t read_modes(const ModeData&, const ModeShare&, Complex<double>, Complex<double>*);

} // namespace whorl::storage
