#include "exchange/communicator.hpp"

#include <numeric>
#include <utility>

#include "base/maximum.hpp"

namespace whorl::exchange {

void check_mpi(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    int rank = -1;
    MPI_Error_string(code, text, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    throw Error("MPI failed on rank " + std::to_string(rank) + " in " + call + ": " +
                std::string(text, static_cast<std::size_t>(length)));
}

Handles::~Handles() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!alone_ || finalized) return;
    try {
        close();
    } catch (...) { // the remaining objects stay, as with several ranks
    }
}

void Handles::close() {
    while (!free_.empty()) {
        const std::function<void()> free = std::move(free_.back());
        free_.pop_back();
        free();
    }
}

Communicator::Communicator(MPI_Comm handle, MPI_Comm root, std::shared_ptr<Handles> handles)
    : handle_(handle), root_(root), handles_(std::move(handles)) {
    WHORL_MPI(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
    WHORL_MPI(MPI_Comm_rank(handle_, &rank_));
    WHORL_MPI(MPI_Comm_size(handle_, &size_));
    if (!handles_) handles_ = std::make_shared<Handles>(size_ == 1);
    handles_->keep([copy = handle_]() mutable { WHORL_MPI(MPI_Comm_free(&copy)); });
}

namespace {
MPI_Comm duplicate(int fortran_handle) {
    MPI_Comm copy = MPI_COMM_NULL;
    WHORL_MPI(MPI_Comm_dup(MPI_Comm_f2c(fortran_handle), &copy));
    return copy;
}
} // namespace

Communicator::Communicator(int fortran_handle) : Communicator(duplicate(fortran_handle), MPI_COMM_NULL, {}) {
    root_ = handle_;
}

Communicator Communicator::split(int color) const {
    MPI_Comm part = MPI_COMM_NULL;
    WHORL_MPI(MPI_Comm_split(handle_, color, rank_, &part));
    return Communicator(part, root_, handles_);
}

Communicator Communicator::node() const {
    MPI_Comm part = MPI_COMM_NULL;
    WHORL_MPI(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part));
    return Communicator(part, root_, handles_);
}

std::vector<int> Communicator::ranks_in_root() const {
    MPI_Group own = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    WHORL_MPI(MPI_Comm_group(handle_, &own));
    WHORL_MPI(MPI_Comm_group(root_, &all));
    std::vector<int> here(static_cast<std::size_t>(size_)), there(here.size());
    std::iota(here.begin(), here.end(), 0);
    WHORL_MPI(MPI_Group_translate_ranks(own, size_, here.data(), all, there.data()));
    WHORL_MPI(MPI_Group_free(&own));
    WHORL_MPI(MPI_Group_free(&all));
    return there;
}

void Communicator::sum(std::span<double> values) const {
    WHORL_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                            handle_));
}

void Communicator::sum(std::span<std::uint64_t> values) const {
    WHORL_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T,
                            MPI_SUM, handle_));
}

namespace {
void keep_larger(void* given, void* kept, int* count, MPI_Datatype*) {
    const auto* const values = static_cast<const double*>(given);
    auto* const largest = static_cast<double*>(kept);
    for (int i = 0; i < *count; ++i) largest[i] = larger(values[i], largest[i]);
}
MPI_Op larger_of_ranks() {
    static const MPI_Op operation = [] {
        MPI_Op made = MPI_OP_NULL;
        WHORL_MPI(MPI_Op_create(keep_larger, 1, &made));
        return made;
    }();
    return operation;
}
} // namespace

void Communicator::maximum(std::span<double> values) const {
    WHORL_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                            larger_of_ranks(), handle_));
}

void Communicator::broadcast(void* data, std::size_t bytes, int root) const {
    WHORL_MPI(MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, handle_));
}

std::string Communicator::broadcast(const std::string& text, int root) const {
    std::uint64_t size = text.size();
    broadcast(&size, sizeof size, root);
    std::string copy = text;
    copy.resize(size);
    broadcast(copy.data(), size, root);
    return copy;
}

bool Communicator::any(bool flag) const {
    double value = flag ? 1.0 : 0.0;
    maximum({&value, 1});
    return value > 0.0;
}

void Communicator::barrier() const { WHORL_MPI(MPI_Barrier(handle_)); }

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    WHORL_MPI(MPI_Get_library_version(text, &length));
    const std::string version(text, static_cast<std::size_t>(length));
    return version.substr(0, version.find(','));
}

} // namespace whorl::exchange
