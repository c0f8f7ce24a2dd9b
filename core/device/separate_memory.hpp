// Memory of the host that its code may not touch: kernels open it while they run. A read or write beside them
// is a segmentation fault, as it would be of a GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whorl::device {

// Copies between the host and the devices' own memories since the process began, bytes and number; reductions
// have a count of their own.
struct Transfers {
    std::int64_t to_host = 0, from_host = 0, bytes = 0, reductions = 0;
};
Transfers& transfers() noexcept;

struct SeparateMemory {
    static constexpr bool separate = true, of_gpu = false;
    using Exchanged = SeparateMemory;
    // Zeroed. Throws Error naming the bytes when the system refuses.
    static void* allocate(std::size_t bytes);
    static void release(void* memory, std::size_t bytes) noexcept;
    static void from_host(void* to, const void* from, std::size_t bytes);
    static void to_host(void* to, const void* from, std::size_t bytes);
    // Open for good: for an MPI that takes a device's memory.
    static void share();

    // While one of them lives the memory is open.
    class Opened {
      public:
        Opened();
        ~Opened();
        Opened(const Opened&) = delete;
        Opened& operator=(const Opened&) = delete;
    };
};

} // namespace whorl::device
