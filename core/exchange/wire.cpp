#include "exchange/wire.hpp"

#include <algorithm>
#include <cstring>

#include "base/complex.hpp"
#include "base/error.hpp"

namespace whorl::exchange {

namespace {

using Wide = Complex<double>;
using Narrow = Complex<float>;

// Number i moves from byte 16 i to byte 8 i. The numbers of [m, 2 m) are read from bytes that none of them is
// written to, and written to bytes that have all been read, so they can be converted in parallel.
void narrow(Wide* numbers, std::int64_t count, int threads) {
    auto* const bytes = reinterpret_cast<char*>(numbers);
    const auto convert = [&](std::int64_t i) {
        Wide value;
        std::memcpy(&value, bytes + 16 * i, sizeof value);
        const Narrow narrow{static_cast<float>(value.re), static_cast<float>(value.im)};
        std::memcpy(bytes + 8 * i, &narrow, sizeof narrow);
    };
    constexpr std::int64_t few = 4096;
    for (std::int64_t i = 0; i < std::min(few, count); ++i) convert(i);
    for (std::int64_t m = few; m < count; m *= 2) {
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = m; i < std::min(2 * m, count); ++i) convert(i);
    }
}

// The inverse, starting from the end.
void widen(Wide* numbers, std::int64_t count, int threads) {
    auto* const bytes = reinterpret_cast<char*>(numbers);
    const auto convert = [&](std::int64_t i) {
        Narrow value;
        std::memcpy(&value, bytes + 8 * i, sizeof value);
        const Wide wide{value.re, value.im};
        std::memcpy(bytes + 16 * i, &wide, sizeof wide);
    };
    constexpr std::int64_t few = 4096;
    for (; count > few; count = (count + 1) / 2) {
#pragma omp parallel for num_threads(threads)
        for (std::int64_t i = (count + 1) / 2; i < count; ++i) convert(i);
    }
    for (std::int64_t i = count - 1; i >= 0; --i) convert(i);
}

class SingleWire final : public Transport {
  public:
    SingleWire(int threads, std::vector<Pattern> batches, std::unique_ptr<Transport> inner)
        : threads_(threads), batches_(std::move(batches)), receives_(batches_.size(), nullptr),
          inner_(std::move(inner)) {}

    void attach(void* receive, const NodeMemory* shared) override { inner_->attach(receive, shared); }
    void start(int batch, void* send, void* receive) override {
        for (const Chunk& chunk : batches_[static_cast<std::size_t>(batch)].send)
            narrow(static_cast<Wide*>(send) + chunk.offset, chunk.count(), threads_);
        receives_[static_cast<std::size_t>(batch)] = receive;
        inner_->start(batch, send, receive);
    }
    void wait(int batch) override {
        inner_->wait(batch);
        auto* const receive = static_cast<Wide*>(receives_[static_cast<std::size_t>(batch)]);
        for (const Chunk& chunk : batches_[static_cast<std::size_t>(batch)].receive)
            widen(receive + chunk.offset, chunk.count(), threads_);
    }
    int messages() const override { return inner_->messages(); }
    void progress() override { inner_->progress(); }

  private:
    int threads_;
    std::vector<Pattern> batches_;
    std::vector<void*> receives_;
    std::unique_ptr<Transport> inner_;
};

// The narrow numbers at the begin of the chunk, with offsets in units of narrow numbers.
Chunk narrowed(const Chunk& chunk) {
    WHORL_REQUIRE(chunk.packed(), "only packed chunks can be narrowed.");
    return packed_chunk(2 * chunk.offset, chunk.count() / chunk.variables, static_cast<int>(chunk.variables));
}

} // namespace

Maker in_single_precision(int threads, const Maker& make) {
    return [=](const Communicator& communicator, const std::vector<Pattern>& batches, int variables,
               int element) -> std::unique_ptr<Transport> {
        if (element != sizeof(Wide)) return make(communicator, batches, variables, element);
        std::vector<Pattern> narrow_batches;
        for (const Pattern& pattern : batches) {
            Pattern& narrow_pattern = narrow_batches.emplace_back();
            for (const Chunk& chunk : pattern.send) narrow_pattern.send.push_back(narrowed(chunk));
            for (const Chunk& chunk : pattern.receive) narrow_pattern.receive.push_back(narrowed(chunk));
        }
        return std::make_unique<SingleWire>(
            threads, batches, make(communicator, std::move(narrow_batches), variables, sizeof(Narrow)));
    };
}

} // namespace whorl::exchange
