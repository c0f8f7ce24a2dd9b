#include "device/caches.hpp"

#include <fstream>
#include <string>

namespace whorl::device {

namespace {

// As Linux tells them of the first core: "48K", "2048K"; 0 where it does not.
std::int64_t size_of_cache(int index, int level) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto read = [&](const char* name) {
        std::ifstream file(folder + name);
        std::string text;
        file >> text;
        return text;
    };
    if (read("level") != std::to_string(level) || read("type") == "Instruction") return 0;
    const std::string size = read("size");
    if (size.empty() || size.find_first_not_of("0123456789") != size.size() - 1) return 0;
    return std::stoll(size) << (size.back() == 'M' ? 20 : 10);
}

Caches read_caches() {
    Caches found;
    constexpr int most = 8;
    for (int index = 0; index < most; ++index) {
        if (const std::int64_t size = size_of_cache(index, 1); size > 0) found.first = size;
        if (const std::int64_t size = size_of_cache(index, 2); size > 0) found.second = size;
    }
    return found;
}

} // namespace

const Caches& caches() {
    static const Caches read = read_caches();
    return read;
}

} // namespace whorl::device
