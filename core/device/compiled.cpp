#include "device/compiled.hpp"

#include "base/error.hpp"

namespace whorl::device {

void BlockChoice::check() const {
    WHORL_REQUIRE(lane_bytes == 0 || lane_bytes == 32 || lane_bytes == 64 || lane_bytes == 128,
                  "lane_bytes = " + std::to_string(lane_bytes) +
                      ": lines side by side have 32, 64 or 128 bytes, or 0, as whorl chooses.");
    WHORL_REQUIRE(threads >= 0 && threads <= 512 && threads % 32 == 0,
                  "block_threads = " + std::to_string(threads) +
                      ": a block has 32 to 512 threads, a multiple of 32, or 0, as whorl chooses.");
    WHORL_REQUIRE(pairs >= 0, "block_pairs = " + std::to_string(pairs) +
                                  ": a block has one pair of rows or more, or 0, as whorl chooses.");
}

} // namespace whorl::device
