// The data that the stages of a round trip share: the rank's data and those of the present pass, which
// RoundTrip owns.
#pragma once

#include "roundtrip/exchanges.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode_space.hpp"
#include "roundtrip/parities.hpp"

namespace whorl {

template <class Device, class Real> class StageContext {
  public:
    StageContext(const Layout& layout, Device& device, Executors<Device, Real>& executors,
                 Exchanges<Device, Real>& exchanges, const ModeSpace<Device, Real>& modes,
                 const Parities& parities)
        : layout_(layout), device_(device), executors_(executors), exchanges_(exchanges), modes_(modes),
          parities_(parities) {}

  protected:
    const Layout& layout_;
    Device& device_;
    Executors<Device, Real>& executors_;
    Exchanges<Device, Real>& exchanges_;
    const ModeSpace<Device, Real>& modes_;
    const Parities& parities_;
};

} // namespace whorl
