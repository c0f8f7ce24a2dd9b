// Declares the round trip, for headers of functions that are given one.
#pragma once

namespace whorl {

template <class Device, class Real> class RoundTrip;

} // namespace whorl
