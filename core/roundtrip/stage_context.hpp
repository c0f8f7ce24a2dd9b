// What the three stages of a round trip share: the layout and buffers of the rank, and the present pass's
// parities.
#pragma once

#include "roundtrip/exchanges.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode_space.hpp"
#include "roundtrip/parities.hpp"

namespace whorl {

template <class Device, class Real> struct StageContext {
    const Layout& layout;
    Device& device;
    Executors<Device, Real>& executors;
    Exchanges<Device, Real>& exchanges;
    const ModeSpace<Device, Real>& modes;
    const Parities& parities;
};

} // namespace whorl
