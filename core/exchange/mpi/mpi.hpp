// MPI's C interface through a table: no MPI is needed to build whorl, and one build runs with any.
//
// At first the table is that of one rank (one_rank.cpp). connect() fills it from the library that mpi4py has
// loaded, whichever of three binary interfaces the library has (abis.cpp). Names, arguments and results are
// those of the MPI standard, of which the tables below declare what whorl uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// A handle is a number of 32 or 64 bits in MPI's libraries, here always of 64.
enum class MPI_Comm : std::uintptr_t {};
enum class MPI_Datatype : std::uintptr_t {};
enum class MPI_Errhandler : std::uintptr_t {};
enum class MPI_Group : std::uintptr_t {};
enum class MPI_Info : std::uintptr_t {};
enum class MPI_Op : std::uintptr_t {};
enum class MPI_Request : std::uintptr_t {};
enum class MPI_Win : std::uintptr_t {};
using MPI_Aint = std::intptr_t;
using MPI_User_function = void(void*, void*, int*, MPI_Datatype*);
struct MPI_Status; // ignored everywhere

inline constexpr int MPI_SUCCESS = 0;
// Room for the texts of every library.
inline constexpr int MPI_MAX_ERROR_STRING = 512;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192;

namespace whorl::exchange::mpi {

// Name and arguments of each function; all return an error code. Ialltoallw gets its types as NativeTypes.
#define WHORL_MPI_FUNCTIONS(of)                                                                              \
    of(Allreduce, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);                                  \
    of(Alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);                        \
    of(Alltoallv, const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,          \
       MPI_Datatype, MPI_Comm);                                                                              \
    of(Barrier, MPI_Comm);                                                                                   \
    of(Bcast, void*, int, MPI_Datatype, int, MPI_Comm);                                                      \
    of(Comm_dup, MPI_Comm, MPI_Comm*);                                                                       \
    of(Comm_free, MPI_Comm*);                                                                                \
    of(Comm_group, MPI_Comm, MPI_Group*);                                                                    \
    of(Comm_rank, MPI_Comm, int*);                                                                           \
    of(Comm_set_errhandler, MPI_Comm, MPI_Errhandler);                                                       \
    of(Comm_size, MPI_Comm, int*);                                                                           \
    of(Comm_split, MPI_Comm, int, int, MPI_Comm*);                                                           \
    of(Comm_split_type, MPI_Comm, int, int, MPI_Info, MPI_Comm*);                                            \
    of(Error_string, int, char*, int*);                                                                      \
    of(Finalized, int*);                                                                                     \
    of(Get_library_version, char*, int*);                                                                    \
    of(Group_free, MPI_Group*);                                                                              \
    of(Group_translate_ranks, MPI_Group, int, const int*, MPI_Group, int*);                                  \
    of(Ialltoallv, const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,         \
       MPI_Datatype, MPI_Comm, MPI_Request*);                                                                \
    of(Ialltoallw, const void*, const int*, const int*, const void*, void*, const int*, const int*,          \
       const void*, MPI_Comm, MPI_Request*);                                                                 \
    of(Info_create, MPI_Info*);                                                                              \
    of(Info_free, MPI_Info*);                                                                                \
    of(Info_set, MPI_Info, const char*, const char*);                                                        \
    of(Irecv, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);                                   \
    of(Isend, const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);                             \
    of(Op_create, MPI_User_function*, int, MPI_Op*);                                                         \
    of(Put, const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);                      \
    of(Query_thread, int*);                                                                                  \
    of(Test, MPI_Request*, int*, MPI_Status*);                                                               \
    of(Testall, int, MPI_Request*, int*, MPI_Status*);                                                       \
    of(Type_commit, MPI_Datatype*);                                                                          \
    of(Type_contiguous, int, MPI_Datatype, MPI_Datatype*);                                                   \
    of(Type_create_hindexed, int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*);                 \
    of(Type_create_hvector, int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);                                \
    of(Type_free, MPI_Datatype*);                                                                            \
    of(Wait, MPI_Request*, MPI_Status*);                                                                     \
    of(Waitall, int, MPI_Request*, MPI_Status*);                                                             \
    of(Waitany, int, MPI_Request*, int*, MPI_Status*);                                                       \
    of(Win_allocate_shared, MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*);                             \
    of(Win_create, void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*);                                      \
    of(Win_fence, int, MPI_Win);                                                                             \
    of(Win_flush, int, MPI_Win);                                                                             \
    of(Win_free, MPI_Win*);                                                                                  \
    of(Win_get_attr, MPI_Win, int, void*, int*);                                                             \
    of(Win_lock_all, int, MPI_Win);                                                                          \
    of(Win_set_errhandler, MPI_Win, MPI_Errhandler);                                                         \
    of(Win_shared_query, MPI_Win, int, MPI_Aint*, int*, void*);                                              \
    of(Win_sync, MPI_Win);                                                                                   \
    of(Win_unlock_all, MPI_Win);

// Type and name of each handle that MPI predefines; its value in MPICH's interface and in that of MPI 5.0,
// and the object whose address it is in Open MPI's.
#define WHORL_MPI_HANDLES(of)                                                                                \
    of(MPI_Comm, COMM_NULL, 0x04000000, 0x100, ompi_mpi_comm_null);                                          \
    of(MPI_Comm, COMM_SELF, 0x44000001, 0x102, ompi_mpi_comm_self);                                          \
    of(MPI_Comm, COMM_WORLD, 0x44000000, 0x101, ompi_mpi_comm_world);                                        \
    of(MPI_Datatype, BYTE, 0x4c00010d, 0x247, ompi_mpi_byte);                                                \
    of(MPI_Datatype, C_DOUBLE_COMPLEX, 0x4c001041, 0x216, ompi_mpi_c_double_complex);                        \
    of(MPI_Datatype, C_FLOAT_COMPLEX, 0x4c000840, 0x212, ompi_mpi_c_float_complex);                          \
    of(MPI_Datatype, DATATYPE_NULL, 0x0c000000, 0x200, ompi_mpi_datatype_null);                              \
    of(MPI_Datatype, DOUBLE, 0x4c00080b, 0x214, ompi_mpi_double);                                            \
    of(MPI_Datatype, INT, 0x4c000405, 0x209, ompi_mpi_int);                                                  \
    of(MPI_Datatype, INT64_T, 0x4c00083a, 0x258, ompi_mpi_int64_t);                                          \
    of(MPI_Datatype, UINT64_T, 0x4c00083e, 0x259, ompi_mpi_uint64_t);                                        \
    of(MPI_Errhandler, ERRORS_RETURN, 0x54000001, 0x143, ompi_mpi_errors_return);                            \
    of(MPI_Group, GROUP_NULL, 0x08000000, 0x108, ompi_mpi_group_null);                                       \
    of(MPI_Info, INFO_NULL, 0x1c000000, 0x130, ompi_mpi_info_null);                                          \
    of(MPI_Op, MIN, 0x58000002, 0x22, ompi_mpi_op_min);                                                      \
    of(MPI_Op, OP_NULL, 0x18000000, 0x20, ompi_mpi_op_null);                                                 \
    of(MPI_Op, SUM, 0x58000003, 0x21, ompi_mpi_op_sum);                                                      \
    of(MPI_Request, REQUEST_NULL, 0x2c000000, 0x180, ompi_request_null);                                     \
    of(MPI_Win, WIN_NULL, 0x20000000, 0x110, ompi_mpi_win_null);

// Name of each other constant, and its value in the interfaces of MPICH, of MPI 5.0 and of Open MPI.
#define WHORL_MPI_NUMBERS(of)                                                                                \
    of(int, COMM_TYPE_SHARED, 1, 221, 0);                                                                    \
    of(int, MODE_NOCHECK, 0x400, 0x400, 1);                                                                  \
    of(int, THREAD_SINGLE, 0, 0, 0);                                                                         \
    of(int, THREAD_FUNNELED, 1, 0x400, 1);                                                                   \
    of(int, THREAD_SERIALIZED, 2, 0x800, 2);                                                                 \
    of(int, THREAD_MULTIPLE, 3, 0x1000, 3);                                                                  \
    of(int, WIN_MODEL, 0x66000009, 605, 11);                                                                 \
    of(int, WIN_UNIFIED, 2, 321, 0);                                                                         \
    of(void*, IN_PLACE, -1, 1, 1);                                                                           \
    of(MPI_Status*, STATUS_IGNORE, 1, 0, 0);                                                                 \
    of(MPI_Status*, STATUSES_IGNORE, 1, 0, 0);

struct Table {
#define WHORL_MPI_MEMBER(name, ...) int (*name)(__VA_ARGS__)
    WHORL_MPI_FUNCTIONS(WHORL_MPI_MEMBER)
#undef WHORL_MPI_MEMBER
#define WHORL_MPI_MEMBER(type, name, ...) type name
    WHORL_MPI_HANDLES(WHORL_MPI_MEMBER)
    WHORL_MPI_NUMBERS(WHORL_MPI_MEMBER)
#undef WHORL_MPI_MEMBER
    MPI_Comm (*Comm_f2c)(int);
    int (*query_cuda)();      // 1: the library sends from a GPU's memory
    std::size_t handle_bytes; // of a handle in the library
};
extern Table table;
// The number of the communicator of a rank without MPI, where mpi4py has one of Fortran.
inline constexpr int alone = -1;
// A communicator of the table of one rank was made.
extern bool in_use;

// Fills the table from the MPI library of a loaded module, such as mpi4py's. Throws Error if the module is
// not loaded, if its library lacks a function, or once communicators of another table were made.
void connect(const std::string& module);

// Types in an array of the library's handles, which has to live as long as the requests that use it.
class NativeTypes {
  public:
    explicit NativeTypes(std::span<const MPI_Datatype> types);
    const void* data() const { return bytes_.data(); }

  private:
    std::vector<std::byte> bytes_;
};

} // namespace whorl::exchange::mpi

#define WHORL_MPI_NAME(name, ...)                                                                            \
    inline int (*const& MPI_##name)(__VA_ARGS__) = whorl::exchange::mpi::table.name
WHORL_MPI_FUNCTIONS(WHORL_MPI_NAME)
#undef WHORL_MPI_NAME
#define WHORL_MPI_NAME(type, name, ...) inline type const& MPI_##name = whorl::exchange::mpi::table.name
WHORL_MPI_HANDLES(WHORL_MPI_NAME)
WHORL_MPI_NUMBERS(WHORL_MPI_NAME)
#undef WHORL_MPI_NAME
inline MPI_Comm (*const& MPI_Comm_f2c)(int) = whorl::exchange::mpi::table.Comm_f2c;
