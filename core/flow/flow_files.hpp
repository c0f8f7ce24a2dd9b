// The checkpoints of a flow.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "flow/flow_fields.hpp"
#include "storage/checkpoint.hpp"

namespace whorl {

template <class Device, class Real> class FlowFiles {
    using StoredFields = std::vector<storage::StoredField<Real>>;

  public:
    FlowFiles(const FlowParts<Device, Real>& flow, FlowFields<Device, Real>& fields)
        : flow_(flow), fields_(fields) {}

    std::unique_ptr<storage::UnfinishedCheckpoint> begin_checkpoint(const std::string& path,
                                                                    const storage::Attributes& attributes,
                                                                    const CheckpointFiles& files) {
        auto access = mode_access();
        const storage::CheckpointKind kind{group_of(files), files.single, files.held};
        return storage::begin_checkpoint<Real>(path, kind, attributes, flow_.options.box(), flow_.truncation,
                                               flow_.trip.table(), stored_fields(), earlier_steps(), access,
                                               flow_.world);
    }
    void read_checkpoint(const std::string& path) {
        flow_.stepper.forget();
        auto access = mode_access();
        storage::EarlierSteps<Real> earlier = earlier_steps();
        storage::read_checkpoint<Real>(path, flow_.options.box(), flow_.truncation, flow_.trip.table(),
                                       stored_fields(), earlier, access, flow_.world);
        flow_.stepper.history().set_steps(earlier.dt);
        flow_.stepper.begin(earlier.time);
    }
    void read_regridded(const std::string& path, const std::map<std::string, std::string>& names) {
        flow_.stepper.forget();
        StoredFields fields;
        for (const auto& [name, in_file] : names)
            add_stored(fields, fields_.find(name), flow_.stepper.state(), in_file, "");
        auto access = mode_access();
        storage::read_regridded<Real>(path, flow_.options.box(), flow_.truncation, flow_.trip.table(), fields,
                                      access, flow_.world);
    }

  private:
    // The group of a number of files, made once, since its communicator stays until the flow is closed.
    const storage::FileGroup* group_of(const CheckpointFiles& files) {
        if (files.number == 0) return nullptr;
        const auto made = groups_.find(files.number);
        if (made != groups_.end()) return &made->second;
        auto group = files.number == CheckpointFiles::one_per_node
                         ? storage::by_node(flow_.world)
                         : storage::in_files(flow_.world, files.number);
        return &groups_.emplace(files.number, std::move(group)).first->second;
    }
    storage::EarlierSteps<Real> earlier_steps() {
        storage::EarlierSteps<Real> earlier{{}, flow_.stepper.history().steps(), 0.0};
        for (int j = 1; j <= flow_.stepper.history().longest(); ++j)
            earlier.fields.push_back(stored_fields(flow_.stepper.earlier(j), "_earlier" + std::to_string(j)));
        return earlier;
    }
    // Scalars are stored one by one, and so are the components of a field in a plane; solenoidal fields of
    // three components as a whole.
    StoredFields stored_fields() { return stored_fields(flow_.stepper.state(), ""); }
    StoredFields stored_fields(Complex<Real>* set, const std::string& suffix) {
        StoredFields stored;
        for (const StateField& field : fields_.of_state())
            add_stored(stored, field, set, field.in_files, suffix);
        return stored;
    }
    void add_stored(StoredFields& stored, const StateField& field, Complex<Real>* set,
                    const std::string& name, const std::string& suffix) {
        const bool whole = field.group.solenoidal && field.group.components == 3;
        const int parts = whole ? 1 : field.group.components;
        for (int part = 0; part < parts; ++part)
            stored.push_back({(parts > 1 ? name + "_" + std::to_string(part) : name) + suffix, whole,
                              set + (field.first + part) * flow_.stepper.modes()});
    }
    storage::DeviceModes<Device, Real> mode_access() {
        return {flow_.trip.device(), flow_.options.box(), flow_.truncation, flow_.trip.table(),
                flow_.trip.modes().rows};
    }

    FlowParts<Device, Real> flow_;
    FlowFields<Device, Real>& fields_;
    std::map<int, storage::FileGroup> groups_;
};

} // namespace whorl
