#include "device/caches.hpp"

#include <fstream>
#include <string>

namespace whorl::device {

namespace {

constexpr std::int64_t smallest = 512 << 10;

// The size of a cache of the first core, as Linux reports it: "48K", "2048K"; 0 where it is not a second one.
std::int64_t size_of_second(int index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto read = [&](const char* name) {
        std::ifstream file(folder + name);
        std::string text;
        file >> text;
        return text;
    };
    if (read("level") != "2" || read("type") == "Instruction") return 0;
    const std::string size = read("size");
    if (size.empty() || size.find_first_not_of("0123456789") != size.size() - 1) return 0;
    return std::stoll(size) << (size.back() == 'M' ? 20 : 10);
}

std::int64_t read_second_cache() {
    constexpr int most = 8;
    for (int index = 0; index < most; ++index)
        if (const std::int64_t size = size_of_second(index); size > 0) return size;
    return smallest;
}

} // namespace

std::int64_t second_cache() {
    static const std::int64_t read = read_second_cache();
    return read;
}

} // namespace whorl::device
