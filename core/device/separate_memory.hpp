// Memory of the host that its code may not touch: kernels open it while they run. Any other read or write is
// a segmentation fault, as it would be for a GPU's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whorl::device {

// The number and bytes of copies between the host's and devices' memory since the process began; reductions
// are counted separately.
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
    // Whether an address is of such memory, which a GPU would refuse also while it is open here.
    static bool holds(const void* address) noexcept;
    // Opens the memory for good, for an MPI that takes device memory.
    static void share();

    // The memory is open while one of these exists.
    class Opened {
      public:
        Opened();
        ~Opened();
        Opened(const Opened&) = delete;
        Opened& operator=(const Opened&) = delete;
    };
};

} // namespace whorl::device
