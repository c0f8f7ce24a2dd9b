// Compiled once for each device with streams.
#include "roundtrip/planes_on_streams.hpp"

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
void PlanesOnStreams<Device, Real>::spread(int executor, const Range& z, int variables) {
    if (variables == 0) return;
    const kernels::SpreadLines<Real> ends{this->planes(executor, z), this->pencil_rows(z), variables};
    transform_with_ends<device::Direction::backward>(
        this->device_, this->executors_, executor, ends, variables * z.size(), Task::y_lines, Task::pack,
        [&](int v) -> const auto& { return this->plan_in_of(z, v); });
}

template void PlanesOnStreams<device::Chosen, float>::spread(int, const Range&, int);
template void PlanesOnStreams<device::Chosen, double>::spread(int, const Range&, int);

} // namespace whorl
