#include "steppers/stepper.hpp"

#include "base/philox.hpp"

namespace whorl {

std::array<double, 3> shift_offset(std::uint64_t seed, std::int64_t pair) {
    const auto [low, high] = halves(static_cast<std::uint64_t>(pair));
    const PhiloxBlock words = philox({low, high, 0, 0}, halves(seed));
    return {uniform(words[0]), uniform(words[1]), uniform(words[2])};
}

} // namespace whorl
