#include "roundtrip/line_choice.hpp"

#include <charconv>
#include <vector>

#include "base/error.hpp"

namespace whorl {

namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = text.find(','); end != std::string::npos; end = text.find(',', begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

// Returns 0 where a tile cannot have this number of columns.
int columns_of(const std::string& text) {
    constexpr int most = 1 << 16, step = 8; // whole cache lines in either precision
    int columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    return error == std::errc{} && end == text.data() + text.size() && columns <= most && columns % step == 0
               ? columns
               : 0;
}

} // namespace

std::string LineChoice::text() const {
    const std::string kinds = device::name_of(x) + "," + device::name_of(y) + "," + device::name_of(z);
    return columns > 0 ? kinds + "," + std::to_string(columns) : kinds;
}

LineChoice parse_line_choice(const std::string& lines) {
    LineChoice choice;
    choice.measured = lines == "auto";
    if (choice.measured) return choice;
    const std::vector<std::string> parts = split(lines);
    if (parts.size() == 1) {
        choice.x = choice.y = choice.z = device::parse_line_kind(lines);
        return choice;
    }
    if (parts.size() == 4) choice.columns = columns_of(parts[3]);
    WHORL_REQUIRE(
        parts.size() == 3 || (parts.size() == 4 && choice.columns > 0),
        "lines = \"" + lines +
            "\" is neither one kind nor one each for x, y, z, with or without the columns of a tile, "
            "a multiple of 8.");
    choice.x = device::parse_line_kind(parts[0]);
    choice.y = device::parse_line_kind(parts[1]);
    choice.z = device::parse_line_kind(parts[2]);
    return choice;
}

} // namespace whorl
