#include <limits>
#include <span>
#include <utility>

#include "exchange/messages.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

// Buffers are in the order in which their owners process them, and derived types describe each peer's numbers
// in them: the library gathers and scatters, whorl packs nothing.
class Datatypes final : public Transport {
  public:
    Datatypes(const Communicator& communicator, const std::vector<Pattern>& batches, int element);
    ~Datatypes() override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override { requests_.wait(batch); }
    void progress() override { requests_.progress(); }

  private:
    // MPI reads the types until a batch has arrived.
    struct Types {
        std::vector<MPI_Datatype> made;
        mpi::NativeTypes send, receive;
    };
    MPI_Comm handle_;
    std::vector<int> one_, zero_; // for each peer: number of its types, and offset of the first
    std::vector<Types> batches_;
    Requests requests_;
};

namespace {

// Runs within a variable, then variables, with offsets from the begin of the buffer.
MPI_Datatype type_of(const Chunk& chunk, int element) {
    const auto count = [](std::int64_t value) {
        WHORL_REQUIRE(value <= std::numeric_limits<int>::max(),
                      "a run of " + std::to_string(value) +
                          " complex numbers exceeds MPI's 32-bit counts: use more batches.");
        return static_cast<int>(value);
    };
    MPI_Datatype of_variable = MPI_DATATYPE_NULL, of_all = MPI_DATATYPE_NULL, placed = MPI_DATATYPE_NULL;
    WHORL_MPI(MPI_Type_create_hvector(count(chunk.number), count(chunk.run), chunk.stride * element,
                                      complex_type(element), &of_variable));
    WHORL_MPI(MPI_Type_create_hvector(count(chunk.variables), 1, chunk.variable_stride * element, of_variable,
                                      &of_all));
    const int one = 1;
    const MPI_Aint offset = chunk.offset * element;
    WHORL_MPI(MPI_Type_create_hindexed(1, &one, &offset, of_all, &placed));
    WHORL_MPI(MPI_Type_commit(&placed));
    WHORL_MPI(MPI_Type_free(&of_variable));
    WHORL_MPI(MPI_Type_free(&of_all));
    return placed;
}

} // namespace

Datatypes::Datatypes(const Communicator& communicator, const std::vector<Pattern>& batches, int element)
    : handle_(communicator.handle()), one_(static_cast<std::size_t>(communicator.size()), 1),
      zero_(static_cast<std::size_t>(communicator.size()), 0), requests_(batches.size()) {
    for (const Pattern& pattern : batches) {
        std::vector<MPI_Datatype> made;
        for (const auto* side : {&pattern.send, &pattern.receive})
            for (const Chunk& chunk : *side) made.push_back(type_of(chunk, element));
        const std::span all(made);
        const mpi::NativeTypes send(all.first(pattern.send.size())),
            receive(all.subspan(pattern.send.size()));
        batches_.push_back({std::move(made), send, receive});
    }
}

Datatypes::~Datatypes() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    for (Types& types : batches_)
        for (MPI_Datatype& type : types.made) MPI_Type_free(&type);
}

void Datatypes::start(int batch, void* send, void* receive) {
    const Types& types = batches_[static_cast<std::size_t>(batch)];
    WHORL_MPI(MPI_Ialltoallw(send, one_.data(), zero_.data(), types.send.data(), receive, one_.data(),
                             zero_.data(), types.receive.data(), handle_, &requests_.of(batch)));
}

Maker make_datatypes(int threads, device::SideStream* stream) { return maker<Datatypes>(threads, stream); }

} // namespace whorl::exchange
