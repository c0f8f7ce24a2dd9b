// Access of a checkpoint to the modes of a rank, in any memory: one slice at a time, through a staging area
// on the host.
#pragma once

#include "base/complex.hpp"
#include "device/buffer.hpp"
#include "grid/row_table.hpp"
#include "grid/truncation.hpp"
#include "models/continuity.hpp"
#include "storage/mode_order.hpp"

namespace whorl::storage {

// Kernels that copy modes between the state and a staging area in the order of a checkpoint. Of a solenoidal
// field the two independent components are stored (models/continuity.hpp); the dependent one is determined in
// the precision of the file.

// Wavenumbers of a rank's modes.
template <class Real> struct WavenumberTables {
    const Real* x;
    const Real* y;
    const Real* z;
    WHORL_INLINE Wavenumber<Real> at(int i, int j, int l) const { return {x[i], y[j], z[l]}; }
};

// Positions of the columns of a slice; a kernel's row is one of them.
struct SliceTables {
    const Row* rows; // [ky][kz]
    const std::int64_t* staged;
    const std::int32_t* counts;
    int first_kx, height, nz;
    bool wall_z;
    std::int64_t modes; // of one field

    struct Column {
        int i, j, count;
        std::int64_t staged;
    };
    WHORL_INLINE Column column(std::int64_t r) const {
        return {first_kx + static_cast<int>(r / height), static_cast<int>(r % height), counts[r], staged[r]};
    }
    // Index in z of the m-th mode of a column.
    WHORL_INLINE int plane(int m, int count) const { return wall_z || 2 * m < count ? m : nz - count + m; }
    WHORL_INLINE std::int64_t state(const Column& column, int l) const {
        return rows[static_cast<std::int64_t>(column.j) * nz + l].offset + column.i;
    }
};

// Field -> staging area, of any precision, `components` components.
template <class Stored, class Real, int components> struct PackModes {
    SliceTables slice;
    WavenumberTables<Stored> k;
    const Complex<Real>* field;
    Complex<Stored>* staged[components];

    static WHORL_INLINE Complex<Stored> rounded(Complex<Real> value) {
        return {static_cast<Stored>(value.re), static_cast<Stored>(value.im)};
    }

    struct RowOf {
        const PackModes& of;
        SliceTables::Column column;
        int length;
        WHORL_INLINE void operator()(std::int64_t m) const {
            const int l = of.slice.plane(static_cast<int>(m), length);
            const std::int64_t at = of.slice.state(column, l), to = column.staged + m, n = of.slice.modes;
            if constexpr (components == 1) {
                of.staged[0][to] = rounded(of.field[at]);
            } else {
                const int dependent = dependent_axis(of.k.at(column.i, column.j, l));
                of.staged[0][to] = rounded(of.field[(dependent == 0 ? n : 0) + at]);
                of.staged[1][to] = rounded(of.field[(dependent <= 1 ? 2 : 1) * n + at]);
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const SliceTables::Column column = slice.column(r);
        return {*this, column, column.count};
    }
};

// Sets the component along `axis` from k.a = 0; for the mean (axis 3) the z component is `mean_z`.
template <class Real>
WHORL_INLINE void complete(Wavenumber<Real> k, int axis, Complex<Real> mean_z, Complex<Real>* a) {
    if (axis == 3) {
        a[2] = mean_z;
        return;
    }
    const Real along = axis == 0 ? k.x : (axis == 1 ? k.y : k.z);
    a[axis] = {0, 0};
    a[axis] = (Real(-1) / along) * (k.x * a[0] + k.y * a[1] + k.z * a[2]);
    close_continuity(k, a);
}

// Staging area, of any precision -> field.
template <class Stored, class Real, int components> struct UnpackModes {
    SliceTables slice;
    WavenumberTables<Stored> stored_k;
    WavenumberTables<Real> k;
    Complex<Real>* field;
    Complex<Real> mean_z;
    const Complex<Stored>* staged[components];

    struct RowOf {
        const UnpackModes& of;
        SliceTables::Column column;
        int length;
        WHORL_INLINE Complex<Real> value(int component, std::int64_t m) const {
            const Complex<Stored> stored = of.staged[component][column.staged + m];
            return {static_cast<Real>(stored.re), static_cast<Real>(stored.im)};
        }
        WHORL_INLINE void operator()(std::int64_t m) const {
            const int l = of.slice.plane(static_cast<int>(m), length);
            const std::int64_t at = of.slice.state(column, l), n = of.slice.modes;
            if constexpr (components == 1) {
                of.field[at] = value(0, m);
            } else {
                const int missing = dependent_axis(of.stored_k.at(column.i, column.j, l));
                const Complex<Real> first = value(0, m), second = value(1, m);
                Complex<Real> a[3];
                a[0] = first;
                a[1] = missing == 0 ? first : second;
                a[2] = second;
                complete(of.k.at(column.i, column.j, l), missing, of.mean_z, a);
                for (int v = 0; v < 3; ++v) of.field[v * n + at] = a[v];
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const SliceTables::Column column = slice.column(r);
        return {*this, column, column.count};
    }
};

// Datasets of a field in a checkpoint, one for each stored component: shape (modes, 2), real and imaginary
// part, in the order of ModeOrder.
inline std::vector<std::string> datasets_of(const std::string& name, bool solenoidal) {
    if (!solenoidal) return {name};
    return {name + "_first", name + "_second"};
}

// A field of the state as stored in a checkpoint. A solenoidal field has two components of every mode, in the
// order x, y, z without the dependent one (models/continuity.hpp), and x and y of the mean. A scalar is
// stored unchanged.
template <class Real> struct StoredField {
    std::string name;
    bool solenoidal;
    Complex<Real>* data;

    int components() const { return solenoidal ? 2 : 1; }
    std::vector<std::string> datasets() const { return datasets_of(name, solenoidal); }
};

// The stored components of a slice, one after another.
template <class Stored> struct Staged {
    Complex<Stored>* data;
    std::int64_t modes; // capacity for each component
    Complex<Stored>* component(int c) const { return data + c * modes; }
};

template <class Real> class ModeAccess {
  public:
    virtual ~ModeAccess() = default;
    // Memory on the host for staging, valid until the next call.
    virtual void* staging(std::size_t bytes) = 0;
    virtual void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<float>& to) = 0;
    virtual void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<double>& to) = 0;
    virtual void put(const StoredField<Real>& field, const Slice& slice, Complex<double> mean_z,
                     const Staged<float>& from) = 0;
    virtual void put(const StoredField<Real>& field, const Slice& slice, Complex<double> mean_z,
                     const Staged<double>& from) = 0;
    virtual Complex<Real> mode(const Complex<Real>* at) = 0;
    // Sets the lengths of the box of the file that `put` reads. They determine the dependent component:
    // lengths that differ in the last digits have other ties between wavenumbers.
    virtual void written_in(const std::array<double, 3>& lengths) = 0;
};

// Wavenumbers of a rank's modes, rounded as the round trip rounds them.
template <class Real, class Memory> class Wavenumbers {
  public:
    Wavenumbers(const Box& box, const Truncation& truncation, const RowTable& table) {
        std::array<std::vector<Real>, 3> k;
        const auto add = [&](int axis, int n) {
            k[static_cast<std::size_t>(axis)].push_back(static_cast<Real>(n * box.unit(axis)));
        };
        for (int i = 0; i < table.kx().size(); ++i) add(0, table.kx().at(i));
        for (const int j : table.ky()) add(1, signed_index(j, truncation.extent(1)));
        for (int l = 0; l < table.nz(); ++l) add(2, line_number(l, table.nz(), box.wall(2)));
        for (std::size_t axis = 0; axis < 3; ++axis) k_[axis] = device::copied<Real, Memory>(k[axis]);
    }
    WavenumberTables<Real> tables() const { return {k_[0].data(), k_[1].data(), k_[2].data()}; }

  private:
    std::array<device::Buffer<Real, Memory>, 3> k_;
};

// Access to fields on a device.
template <class Device, class Real> class DeviceModes final : public ModeAccess<Real> {
    using Memory = typename Device::Memory;

  public:
    DeviceModes(Device& device, const Box& box, const Truncation& truncation, const RowTable& table,
                const Row* rows)
        : device_(device), box_(box), truncation_(truncation), table_(table), rows_(rows),
          single_(box, truncation, table), double_(box, truncation, table),
          written_single_(box, truncation, table), written_double_(box, truncation, table) {}

    void written_in(const std::array<double, 3>& lengths) override {
        Box box = box_;
        box.lengths = lengths;
        written_single_ = Wavenumbers<float, Memory>(box, truncation_, table_);
        written_double_ = Wavenumbers<double, Memory>(box, truncation_, table_);
    }

    void* staging(std::size_t bytes) override {
        host_ = device::Buffer<std::byte, typename Device::HostSide>(bytes, device_.executors());
        if (Memory::separate) area_ = device::Buffer<std::byte, Memory>(bytes);
        return host_.data();
    }

    void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<float>& to) override {
        pack(field, slice, to);
    }
    void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<double>& to) override {
        pack(field, slice, to);
    }
    void put(const StoredField<Real>& field, const Slice& slice, Complex<double> mean_z,
             const Staged<float>& from) override {
        unpack(field, slice, mean_z, from);
    }
    void put(const StoredField<Real>& field, const Slice& slice, Complex<double> mean_z,
             const Staged<double>& from) override {
        unpack(field, slice, mean_z, from);
    }
    Complex<Real> mode(const Complex<Real>* at) override {
        Complex<Real> value;
        device_.finish();
        Memory::to_host(&value, at, sizeof value);
        return value;
    }

  private:
    // The columns of a slice, in memory of the device.
    struct Tables {
        const DeviceModes& modes;
        const Slice& slice;
        device::Table<std::int64_t, Memory> staged{slice.staged};
        device::Table<std::int32_t, Memory> counts{slice.counts};

        Tables(const DeviceModes& own, const Slice& given) : modes(own), slice(given) {}
        std::int64_t columns() const { return static_cast<std::int64_t>(slice.counts.size()); }
        SliceTables of() const {
            return {modes.rows_,
                    staged.data(),
                    counts.data(),
                    slice.begin,
                    modes.table_.height(),
                    modes.table_.nz(),
                    modes.truncation_.wall(2),
                    modes.table_.modes()};
        }
    };

    template <class Stored>
    void pack(const StoredField<Real>& field, const Slice& slice, const Staged<Stored>& to) {
        const Tables tables(*this, slice);
        const Staged<Stored> area = own(to);
        if (field.solenoidal)
            device_.over(tables.columns(),
                         PackModes<Stored, Real, 2>{
                             tables.of(), k<Stored>(), field.data, {area.component(0), area.component(1)}});
        else
            device_.over(tables.columns(), PackModes<Stored, Real, 1>{
                                               tables.of(), k<Stored>(), field.data, {area.component(0)}});
        device_.finish();
        for (int c = 0; Memory::separate && c < field.components(); ++c)
            Memory::to_host(to.component(c), area.component(c), bytes<Stored>(slice));
    }

    template <class Stored>
    void unpack(const StoredField<Real>& field, const Slice& slice, Complex<double> mean_z,
                const Staged<Stored>& from) {
        const Tables tables(*this, slice);
        const Staged<Stored> area = own(from);
        for (int c = 0; Memory::separate && c < field.components(); ++c)
            Memory::from_host(area.component(c), from.component(c), bytes<Stored>(slice));
        const Complex<Real> mean{static_cast<Real>(mean_z.re), static_cast<Real>(mean_z.im)};
        if (field.solenoidal)
            device_.over(tables.columns(),
                         UnpackModes<Stored, Real, 2>{tables.of(),
                                                      written_k<Stored>(),
                                                      k<Real>(),
                                                      field.data,
                                                      mean,
                                                      {area.component(0), area.component(1)}});
        else
            device_.over(
                tables.columns(),
                UnpackModes<Stored, Real, 1>{
                    tables.of(), written_k<Stored>(), k<Real>(), field.data, mean, {area.component(0)}});
        device_.finish();
    }

    template <class Stored> Staged<Stored> own(const Staged<Stored>& host) {
        if (!Memory::separate) return host;
        return {reinterpret_cast<Complex<Stored>*>(area_.data()), host.modes};
    }
    template <class Stored> static std::size_t bytes(const Slice& slice) {
        return static_cast<std::size_t>(slice.modes) * sizeof(Complex<Stored>);
    }
    template <class Value> WavenumberTables<Value> k() const {
        if constexpr (sizeof(Value) == sizeof(float))
            return single_.tables();
        else
            return double_.tables();
    }
    template <class Stored> WavenumberTables<Stored> written_k() const {
        if constexpr (sizeof(Stored) == sizeof(float))
            return written_single_.tables();
        else
            return written_double_.tables();
    }

    Device& device_;
    Box box_;
    Truncation truncation_;
    const RowTable& table_;
    const Row* rows_;
    Wavenumbers<float, Memory> single_;
    Wavenumbers<double, Memory> double_;
    Wavenumbers<float, Memory> written_single_;
    Wavenumbers<double, Memory> written_double_;
    device::Buffer<std::byte, typename Device::HostSide> host_;
    device::Buffer<std::byte, Memory> area_;
};

} // namespace whorl::storage
