#include "steppers/stepper.hpp"

#include "base/philox.hpp"

namespace whorl {

std::array<double, 3> shift_offset(std::uint64_t seed, std::int64_t pair) {
    const auto number = static_cast<std::uint64_t>(pair);
    const PhiloxBlock words =
        philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return {uniform(words[0]), uniform(words[1]), uniform(words[2])};
}

} // namespace whorl
