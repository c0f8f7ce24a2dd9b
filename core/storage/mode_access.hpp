// Access of a checkpoint to the modes of a rank, in any memory: one slice at a time, through a staging area
// on the host.
#pragma once

#include "device/buffer.hpp"
#include "grid/truncation.hpp"
#include "storage/mode_kernels.hpp"
#include "storage/slice.hpp"

namespace whorl::storage {

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
    virtual void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<Real>& to) = 0;
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

    void fetch(const StoredField<Real>& field, const Slice& slice, const Staged<Real>& to) override {
        const Tables tables(*this, slice);
        const Staged<Real> area = own(to);
        if (field.solenoidal)
            device_.over(tables.columns(),
                         PackModes<Real, 2>{
                             tables.of(), k<Real>(), field.data, {area.component(0), area.component(1)}});
        else
            device_.over(tables.columns(),
                         PackModes<Real, 1>{tables.of(), k<Real>(), field.data, {area.component(0)}});
        device_.finish();
        for (int c = 0; Memory::separate && c < field.components(); ++c)
            Memory::to_host(to.component(c), area.component(c), bytes<Real>(slice));
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
