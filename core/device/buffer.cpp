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
constexpr std::size_t page = std::size_t{1} << 16; // no system has larger ones
constexpr std::size_t cache_line = 64;
std::atomic<std::int64_t> allocation_count{0};

std::size_t alignment(std::size_t bytes) {
    if (bytes >= 2 * huge_page) return huge_page;
    return bytes >= page ? page : cache_line;
}
std::size_t round_up(std::size_t bytes) {
    const std::size_t unit = bytes >= page ? page : cache_line;
    return (bytes + unit - 1) / unit * unit;
}

// Maps memory of its own, since the heap keeps released memory.
void* map(std::size_t bytes, std::size_t align) {
    void* const all =
        mmap(nullptr, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(all);
    const std::size_t before = (align - address % align) % align;
    char* const begin = static_cast<char*>(all) + before;
    if (before > 0) munmap(all, before);
    munmap(begin + bytes, align - before);
    return begin;
}
} // namespace

void* allocate(std::size_t bytes, int threads) {
    if (bytes == 0) return nullptr;
    const std::size_t align = alignment(bytes), rounded = round_up(bytes);
    void* const memory = align == cache_line ? std::aligned_alloc(align, rounded) : map(rounded, align);
    WHORL_REQUIRE(memory != nullptr,
                  "the system refused " + std::to_string(bytes) +
                      " bytes of memory: use fewer points, single precision or more nodes.");
    count_allocation();
    if (align == huge_page)
        madvise(memory, rounded, MADV_HUGEPAGE); // advice only: a refusal costs speed, not correctness
    zero(memory, rounded, threads);
    return memory;
}

void zero(void* memory, std::size_t bytes, int threads) {
    char* const bytes_begin = static_cast<char*>(memory);
    const auto pages = static_cast<std::int64_t>((bytes + huge_page - 1) / huge_page);
#pragma omp parallel for num_threads(threads) schedule(static) if (pages > 1)
    for (std::int64_t i = 0; i < pages; ++i) {
        const std::size_t begin = static_cast<std::size_t>(i) * huge_page;
        std::memset(bytes_begin + begin, 0, begin + huge_page <= bytes ? huge_page : bytes - begin);
    }
}

void release(void* memory, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    if (alignment(bytes) == cache_line)
        std::free(memory);
    else
        munmap(memory, round_up(bytes));
}

void count_allocation() noexcept { allocation_count.fetch_add(1, std::memory_order_relaxed); }
std::int64_t allocations() noexcept { return allocation_count.load(std::memory_order_relaxed); }

} // namespace whorl::device
