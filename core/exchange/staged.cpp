#include "exchange/staged.hpp"

#include <algorithm>

#include <mpi.h>
#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

#include "base/choice.hpp"

namespace whorl::exchange {

namespace {

class Staged final : public Transport {
  public:
    Staged(Mirrors& mirrors, std::vector<Pattern> batches, std::size_t element,
           std::unique_ptr<Transport> inner)
        : mirrors_(mirrors), batches_(std::move(batches)), element_(element),
          receives_(batches_.size(), nullptr), inner_(std::move(inner)) {}

    void attach(void* receive, const NodeMemory*) override { inner_->attach(mirrors_.of(receive), nullptr); }
    void start(int batch, void* send, void* receive) override {
        const auto at = static_cast<std::size_t>(batch);
        auto* const host = static_cast<char*>(mirrors_.of(send));
        for (const Chunk& chunk : batches_[at].send)
            mirrors_.to_host(host + chunk.begin(element_), static_cast<char*>(send) + chunk.begin(element_),
                             chunk.bytes(element_));
        receives_[at] = static_cast<char*>(receive);
        inner_->start(batch, host, mirrors_.of(receive));
    }
    void wait(int batch) override {
        const auto at = static_cast<std::size_t>(batch);
        inner_->wait(batch);
        const auto* const host = static_cast<const char*>(mirrors_.of(receives_[at]));
        for (const Chunk& chunk : batches_[at].receive)
            mirrors_.from_host(receives_[at] + chunk.begin(element_), host + chunk.begin(element_),
                               chunk.bytes(element_));
    }
    int messages() const override { return inner_->messages(); }
    void progress() override { inner_->progress(); }

  private:
    Mirrors& mirrors_;
    std::vector<Pattern> batches_;
    std::size_t element_;
    std::vector<char*> receives_;
    std::unique_ptr<Transport> inner_;
};

bool says_so() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

} // namespace

Maker staged(Mirrors& mirrors, const Maker& make) {
    return [&mirrors, make](const Communicator& communicator, const std::vector<Pattern>& batches,
                            int variables, int element) -> std::unique_ptr<Transport> {
        return std::make_unique<Staged>(mirrors, batches, static_cast<std::size_t>(element),
                                        make(communicator, batches, variables, element));
    };
}

bool moves_device_memory(const TransportOptions& options, const std::string& gpu_aware) {
    require_one_of("gpu_aware", gpu_aware, declared::choices::gpu_aware);
    const Traits traits = traits_of(options);
    const bool directly = traits.of_gpus || gpu_aware == "yes" || (gpu_aware == "auto" && says_so());
    WHORL_REQUIRE(!traits.shared,
                  "transport = \"" + options.name +
                      "\" receives into memory that processes of a node share, which GPU memory "
                      "is not: choose rma or another transport.");
    WHORL_REQUIRE(!traits.strided || directly,
                  "transport = \"" + options.name +
                      "\" packs nothing, so MPI must access GPU memory directly: choose gpu_aware = "
                      "\"yes\" if it can, or another transport.");
    WHORL_REQUIRE(options.wire == "full" || !directly,
                  "wire = \"single\" converts on the host, which does not see messages sent directly between "
                  "GPUs: choose wire = \"full\", or gpu_aware = \"no\" with a transport of MPI.");
    return directly;
}

} // namespace whorl::exchange
