#include "roundtrip/line_choice.hpp"

#include "base/error.hpp"

namespace whorl {

std::string LineChoice::kinds() const {
    const std::string of_x = device::name_of(x), of_y = device::name_of(y), of_z = device::name_of(z);
    return of_x == of_y && of_y == of_z ? of_x : of_x + "," + of_y + "," + of_z;
}

LineChoice parse_line_choice(const std::string& lines) {
    LineChoice choice;
    if (lines == "auto") {
        choice.measured = true;
        return choice;
    }
    const auto comma = lines.find(',');
    if (comma == std::string::npos) {
        choice.x = choice.y = choice.z = device::parse_line_kind(lines);
        return choice;
    }
    const auto second = lines.find(',', comma + 1);
    WHORL_REQUIRE(second != std::string::npos && lines.find(',', second + 1) == std::string::npos,
                  "lines = \"" + lines +
                      "\" names other than three axes: give one kind, or those of x, y, z.");
    choice.x = device::parse_line_kind(lines.substr(0, comma));
    choice.y = device::parse_line_kind(lines.substr(comma + 1, second - comma - 1));
    choice.z = device::parse_line_kind(lines.substr(second + 1));
    return choice;
}

} // namespace whorl
