#include "device/buffer.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "base/error.hpp"

namespace whorl::device {

namespace {
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t cache_line = 64;
std::atomic<std::int64_t> allocation_count{0};

std::size_t alignment(std::size_t bytes) { return bytes >= 2 * huge_page ? huge_page : cache_line; }
} // namespace

void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::size_t align = alignment(bytes);
    const std::size_t rounded = (bytes + align - 1) / align * align;
    void* memory = std::aligned_alloc(align, rounded);
    WHORL_REQUIRE(memory != nullptr,
                  "the system refused " + std::to_string(bytes) +
                      " bytes of memory: use fewer points, single precision or more nodes.");
    allocation_count.fetch_add(1, std::memory_order_relaxed);
    if (align == huge_page)
        madvise(memory, rounded, MADV_HUGEPAGE); // advice only: its refusal costs speed, not truth
    char* const bytes_begin = static_cast<char*>(memory);
    const auto pieces = static_cast<std::int64_t>((rounded + huge_page - 1) / huge_page);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < pieces; ++i) {
        const std::size_t begin = static_cast<std::size_t>(i) * huge_page;
        std::memset(bytes_begin + begin, 0, begin + huge_page <= rounded ? huge_page : rounded - begin);
    }
    return memory;
}

void release(void* memory, std::size_t) noexcept { std::free(memory); }

std::int64_t allocations() noexcept { return allocation_count.load(std::memory_order_relaxed); }

} // namespace whorl::device
