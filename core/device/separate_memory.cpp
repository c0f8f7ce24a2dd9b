#include "device/separate_memory.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include <sys/mman.h>

#include "base/error.hpp"
#include "device/buffer.hpp"

namespace whorl::device {

namespace {

// One range of addresses, so that one call opens or closes all of it.
class Arena {
  public:
    static Arena& instance() {
        static Arena arena;
        return arena;
    }

    // Memory of at least `bytes` bytes. The rest of its last page is filled with numbers that are neither
    // zero nor sensible, so that reading them shows.
    void* allocate(std::size_t bytes) {
        void* const begin = find((bytes + page - 1) / page * page);
        open();
        std::memset(static_cast<char*>(begin) + bytes, 0x7f, (page - bytes % page) % page);
        close();
        return begin;
    }
    void release(void* memory, std::size_t bytes) {
        const std::size_t given = (bytes + page - 1) / page * page;
        // Opening and closing takes longer if more pages are in use.
        madvise(memory, given, MADV_DONTNEED);
        auto hole = holes_.emplace(static_cast<char*>(memory), given).first;
        const auto next = std::next(hole);
        if (next != holes_.end() && hole->first + hole->second == next->first) {
            hole->second += next->second;
            holes_.erase(next);
        }
        if (hole == holes_.begin()) return;
        const auto before = std::prev(hole);
        if (before->first + before->second != hole->first) return;
        before->second += hole->second;
        holes_.erase(hole);
    }
    // Makes no arena if none is in use.
    static bool holds(const void* address) noexcept {
        const char* const base = known_base;
        return base && !std::less<const void*>()(address, base) &&
               std::less<const void*>()(address, base + reserved);
    }
    void open() {
        if (opened_++ == 0) protect();
    }
    void close() {
        if (--opened_ == 0) protect();
    }

  private:
    static constexpr std::size_t page = std::size_t{1} << 16, reserved = std::size_t{1} << 36;

    void* find(std::size_t wanted) {
        for (auto hole = holes_.begin(); hole != holes_.end(); ++hole)
            if (hole->second >= wanted) {
                char* const begin = hole->first;
                const std::size_t rest = hole->second - wanted;
                holes_.erase(hole);
                if (rest > 0) holes_[begin + wanted] = rest;
                return begin;
            }
        WHORL_REQUIRE(top_ + wanted <= reserved,
                      "device = \"cpu-as-gpu\" has no more memory: it is meant for tests of small grids.");
        char* const begin = base_ + top_;
        top_ += wanted;
        protect();
        return begin;
    }

    Arena() {
        void* const memory =
            mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        WHORL_REQUIRE(memory != MAP_FAILED, "the system refused addresses for device = \"cpu-as-gpu\".");
        known_base = base_ = static_cast<char*>(memory);
    }
    void protect() const {
        if (top_ == 0) return;
        WHORL_REQUIRE(mprotect(base_, top_, opened_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE) == 0,
                      "the system refused " + std::to_string(top_) +
                          " bytes of memory for device = \"cpu-as-gpu\".");
    }
    inline static std::atomic<const char*> known_base = nullptr;
    char* base_ = nullptr;
    std::size_t top_ = 0;
    int opened_ = 0;
    std::map<char*, std::size_t> holes_;
};

} // namespace

Transfers& transfers() noexcept {
    static Transfers counted;
    return counted;
}

bool SeparateMemory::holds(const void* address) noexcept { return Arena::holds(address); }

void SeparateMemory::share() { Arena::instance().open(); }

SeparateMemory::Opened::Opened() { Arena::instance().open(); }
SeparateMemory::Opened::~Opened() { Arena::instance().close(); }

void* SeparateMemory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* const memory = Arena::instance().allocate(bytes);
    count_allocation();
    const Opened opened;
    std::memset(memory, 0, bytes);
    return memory;
}

void SeparateMemory::release(void* memory, std::size_t bytes) noexcept {
    if (bytes > 0) Arena::instance().release(memory, bytes);
}

void SeparateMemory::from_host(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const Opened opened;
    std::memcpy(to, from, bytes);
    ++transfers().from_host;
    transfers().bytes += static_cast<std::int64_t>(bytes);
}

void SeparateMemory::to_host(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const Opened opened;
    std::memcpy(to, from, bytes);
    ++transfers().to_host;
    transfers().bytes += static_cast<std::int64_t>(bytes);
}

} // namespace whorl::device
