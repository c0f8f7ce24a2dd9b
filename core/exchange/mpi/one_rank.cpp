// The table without MPI, which has one rank. Types are their sizes in bytes. Functions that only several
// ranks call return an error.
#include <cstring>

#include "exchange/mpi/mpi.hpp"

namespace whorl::exchange::mpi {

namespace {

template <class Handle> constexpr Handle handle(std::uintptr_t word) { return static_cast<Handle>(word); }

// The handle of each communicator, group and operation.
template <class Handle> int make(Handle* made) {
    *made = handle<Handle>(1);
    return MPI_SUCCESS;
}

template <class Handle> int free(Handle* made) {
    *made = handle<Handle>(0);
    return MPI_SUCCESS;
}

int give(int* into, int value) {
    *into = value;
    return MPI_SUCCESS;
}

int give(char* into, int* length, const char* text) {
    std::strcpy(into, text);
    return give(length, static_cast<int>(std::strlen(text)));
}

int copy(const void* from, int count, MPI_Datatype type, void* to) {
    if (from != MPI_IN_PLACE && count > 0)
        std::memcpy(to, from, static_cast<std::size_t>(count) * static_cast<std::size_t>(type));
    return MPI_SUCCESS;
}

constexpr Table one_rank() {
    Table of{};
#define WHORL_MPI_REFUSE(name, ...) of.name = [](auto...) { return MPI_SUCCESS + 1; }
    WHORL_MPI_FUNCTIONS(WHORL_MPI_REFUSE)
#undef WHORL_MPI_REFUSE
    of.Comm_f2c = [](int number) { return handle<MPI_Comm>(number == alone ? 1 : 0); };
    of.query_cuda = [] { return 0; };
    of.handle_bytes = sizeof(MPI_Comm);
    of.COMM_SELF = of.COMM_WORLD = handle<MPI_Comm>(1);
    of.BYTE = handle<MPI_Datatype>(1);
    of.INT = handle<MPI_Datatype>(4);
    of.C_FLOAT_COMPLEX = of.DOUBLE = of.INT64_T = of.UINT64_T = handle<MPI_Datatype>(8);
    of.C_DOUBLE_COMPLEX = handle<MPI_Datatype>(16);
    of.MIN = of.SUM = handle<MPI_Op>(1);
    of.THREAD_FUNNELED = 1;
    of.THREAD_SERIALIZED = 2;
    of.THREAD_MULTIPLE = 3;

    of.Finalized = [](int* flag) { return give(flag, 0); };
    of.Query_thread = [](int* level) { return give(level, MPI_THREAD_MULTIPLE); };
    of.Get_library_version = [](char* text, int* length) { return give(text, length, "none"); };
    of.Error_string = [](int, char* text, int* length) {
        return give(text, length, "whorl is not connected to MPI, and runs on one rank");
    };
    of.Comm_rank = [](MPI_Comm, int* rank) { return give(rank, 0); };
    of.Comm_size = [](MPI_Comm, int* size) { return give(size, 1); };
    of.Comm_dup = [](MPI_Comm from, MPI_Comm* made) {
        in_use = true;
        return from == MPI_COMM_WORLD ? make(made) : MPI_SUCCESS + 1;
    };
    of.Comm_split = [](MPI_Comm, int, int, MPI_Comm* made) { return make(made); };
    of.Comm_split_type = [](MPI_Comm, int, int, MPI_Info, MPI_Comm* made) { return make(made); };
    of.Comm_free = free<MPI_Comm>;
    of.Comm_set_errhandler = [](MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; };
    of.Comm_group = [](MPI_Comm, MPI_Group* made) { return make(made); };
    of.Group_free = free<MPI_Group>;
    of.Group_translate_ranks = [](MPI_Group, int count, const int* ranks, MPI_Group, int* others) {
        return copy(ranks, count, MPI_INT, others);
    };
    of.Op_create = [](MPI_User_function*, int, MPI_Op* made) { return make(made); };
    of.Barrier = [](MPI_Comm) { return MPI_SUCCESS; };
    of.Bcast = [](void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; };
    of.Allreduce = [](const void* from, void* to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
        return copy(from, count, type, to);
    };
    of.Alltoall = [](const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm) {
        return copy(from, count, type, to);
    };
    return of;
}

} // namespace

constinit Table table = one_rank();
constinit bool in_use = false;

} // namespace whorl::exchange::mpi
