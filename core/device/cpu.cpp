#include "device/cpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>

#include <omp.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace whorl::device {

namespace {
#ifdef __SSE2__
// Complex numbers are aligned to 8 bytes at least.
constexpr std::size_t word = 8;
void stream_words(char* to, const char* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += word) {
        long long value;
        std::memcpy(&value, from + i, word);
        _mm_stream_si64(reinterpret_cast<long long*>(to + i), value);
    }
}

#if defined(__AVX512F__)
using Vector = __m512i;
void stream_vector(void* to, const Vector& value) { _mm512_stream_si512(static_cast<Vector*>(to), value); }
#elif defined(__AVX__)
using Vector = __m256i;
void stream_vector(void* to, const Vector& value) { _mm256_stream_si256(static_cast<Vector*>(to), value); }
#else
using Vector = __m128i;
void stream_vector(void* to, const Vector& value) { _mm_stream_si128(static_cast<Vector*>(to), value); }
#endif
#endif

// Treats subnormal numbers as zero in this thread while it lives. Below 1.2e-38 in single precision they are
// far less than any rounding, and an operation on one may need a hundred times the usual time.
class NoSubnormals {
  public:
    NoSubnormals() : before_(control()) { set_control(before_ | flush); }
    ~NoSubnormals() { set_control(before_); }
    NoSubnormals(const NoSubnormals&) = delete;
    NoSubnormals& operator=(const NoSubnormals&) = delete;

  private:
#if defined(__SSE2__)
    static constexpr std::uint64_t flush = 0x8040; // FTZ, results, and DAZ, operands
    static std::uint64_t control() { return _mm_getcsr(); }
    static void set_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
    static constexpr std::uint64_t flush = 1 << 24; // FZ, both
    static std::uint64_t control() {
        std::uint64_t bits = 0;
        asm volatile("mrs %0, fpcr" : "=r"(bits));
        return bits;
    }
    static void set_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
    static constexpr std::uint64_t flush = 0;
    static std::uint64_t control() { return 0; }
    static void set_control(std::uint64_t) {}
#endif
    std::uint64_t before_;
};
} // namespace

Cpu::Cpu(int threads)
    : threads_(threads > 0 ? threads : omp_get_max_threads()), raised_(static_cast<std::size_t>(threads_)) {}

void Cpu::each_item(std::int64_t items, const void* work,
                    void (*call)(const void* work, int executor, std::int64_t item)) const {
    std::exception_ptr failure;
#pragma omp parallel num_threads(threads_)
    {
        const int executor = omp_get_thread_num();
        const NoSubnormals in_this_thread;
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t item = 0; item < items; ++item) {
            try {
                call(work, executor, item);
            } catch (...) {
#pragma omp critical(whorl_failure)
                failure = std::current_exception();
            }
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    if (failure) std::rethrow_exception(failure);
}

void Cpu::copy_past_caches(void* to, const void* from, std::size_t bytes) {
#ifdef __SSE2__
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % sizeof(Vector);
    const std::size_t head = past == 0 ? 0 : std::min(bytes, sizeof(Vector) - past);
    stream_words(target, source, head);
    std::size_t i = head;
    for (; i + sizeof(Vector) <= bytes; i += sizeof(Vector)) {
        Vector value;
        std::memcpy(&value, source + i, sizeof(Vector));
        stream_vector(target + i, value);
    }
    stream_words(target + i, source + i, bytes - i);
#else
    std::memcpy(to, from, bytes);
#endif
}

void Cpu::copy_past_caches_within(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t line = 64;
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % line;
    const std::size_t head = past == 0 ? 0 : std::min(bytes, line - past);
    const std::size_t whole = (bytes - head) / line * line;
    std::memcpy(target, source, head);
    copy_past_caches(target + head, source + head, whole);
    std::memcpy(target + head + whole, source + head + whole, bytes - head - whole);
}

} // namespace whorl::device
