// The binary interfaces of MPI's libraries: MPICH's (also of Intel MPI, MVAPICH and Cray MPICH), whose
// handles have 32 bits, that of the MPI 5.0 standard, and Open MPI's, whose handles are addresses of its
// objects. The values stand in mpi.hpp; tests compare them with the headers of installed libraries.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include <dlfcn.h>

#include "base/error.hpp"
#include "exchange/mpi/mpi.hpp"

namespace whorl::exchange::mpi {

namespace {

// Symbols as the dynamic linker finds them for the module: a preloaded tool first, then the module's
// libraries.
class Library {
  public:
    explicit Library(const std::string& module) : handle_(dlopen(module.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
        WHORL_REQUIRE(handle_, "MPI is not loaded by " + module + ": import mpi4py.MPI first.");
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { dlclose(handle_); }

    void* find(const char* name) const {
        void* const preloaded = dlsym(RTLD_DEFAULT, name);
        return preloaded ? preloaded : dlsym(handle_, name);
    }
    void* need(const char* name) const {
        void* const found = find(name);
        WHORL_REQUIRE(found, std::string("this MPI has no ") + name +
                                 ", which whorl needs: use a library of MPI 3.1 or newer.");
        return found;
    }

  private:
    void* handle_;
};

struct Mpich {
    using Handle = int;
    static Handle handle(const Library&, int mpich, int, const char*) { return mpich; }
    static std::intptr_t number(int mpich, int, int) { return mpich; }
};

struct Standard {
    using Handle = void*;
    static Handle handle(const Library&, int, std::intptr_t standard, const char*) {
        return reinterpret_cast<void*>(standard);
    }
    static std::intptr_t number(int, int standard, int) { return standard; }
    static constexpr const char* from_fortran = "MPI_Comm_fromint";
};

struct OpenMpi {
    using Handle = void*;
    static Handle handle(const Library& library, int, int, const char* object) {
        return library.need(object);
    }
    static std::intptr_t number(int, int, int open_mpi) { return open_mpi; }
    static constexpr const char* from_fortran = "MPI_Comm_f2c";
};

// whorl's handles are enumerations, as nothing else in MPI's arguments is.
template <class Own>
concept HandleType = std::is_enum_v<Own>;

template <class Native, HandleType Own> Native narrow(Own own) {
    if constexpr (std::is_pointer_v<Native>)
        return std::bit_cast<Native>(own);
    else
        return static_cast<Native>(static_cast<std::uint32_t>(own));
}
template <HandleType Own, class Native> Own widen(Native native) {
    if constexpr (std::is_pointer_v<Native>)
        return std::bit_cast<Own>(native);
    else
        return static_cast<Own>(static_cast<std::uint32_t>(native));
}

// An argument on its way to the library. A pointer to a handle reads it before the call and writes it after.
template <class Native, class Own> struct Argument {
    using Type = Own;
    Own own;
    operator Type() const { return own; }
};
template <class Native, HandleType Own> struct Argument<Native, Own> {
    using Type = Native;
    Own own;
    operator Type() const { return narrow<Native>(own); }
};
template <class Native, HandleType Own> struct Argument<Native, Own*> {
    using Type = Native*;
    Own* own;
    Native native;
    explicit Argument(Own* given) : own(given), native(narrow<Native>(*given)) {}
    Argument(const Argument&) = delete;
    Argument& operator=(const Argument&) = delete;
    ~Argument() { *own = widen<Own>(native); }
    operator Type() { return &native; }
};
template <class Native> struct Argument<Native, MPI_User_function*> {
    using Type = void*; // a function that does not look at its type
    MPI_User_function* own;
    operator Type() const { return reinterpret_cast<void*>(own); }
};

// A member of the table: converts the arguments and calls the library's function.
template <class Native, auto member> struct Function;
template <class Native, class... Own, int (*Table::*member)(Own...)> struct Function<Native, member> {
    using Pointer = int (*)(typename Argument<Native, Own>::Type...);
    static inline Pointer native = nullptr;
    static int call(Own... own) { return native(Argument<Native, Own>{own}...); }
};

// Arrays of requests are converted to the library's and back. Each thread keeps its own for the next call.
template <class Native, auto member, class... Rest>
int call_with_requests(int count, MPI_Request* requests, Rest... rest) {
    thread_local std::vector<Native> natives;
    natives.resize(static_cast<std::size_t>(count));
    std::transform(requests, requests + count, natives.begin(), narrow<Native, MPI_Request>);
    const auto function = reinterpret_cast<int (*)(int, Native*, Rest...)>(Function<Native, member>::native);
    const int code = function(count, natives.data(), rest...);
    std::transform(natives.begin(), natives.end(), requests, widen<MPI_Request, Native>);
    return code;
}

template <class Type> Type as(std::intptr_t number) {
    if constexpr (std::is_pointer_v<Type>)
        return reinterpret_cast<Type>(number);
    else
        return static_cast<Type>(number);
}

// Communicators of Fortran, by which mpi4py gives them, are integers. Those of MPICH are its handles.
template <class Abi> struct FromFortran {
    using Native = typename Abi::Handle;
    static inline Native (*native)(int) = [](int number) { return as<Native>(number); };
    static MPI_Comm call(int number) { return widen<MPI_Comm>(native(number)); }
};

template <class Abi> Table table_of(const Library& library) {
    using Native = typename Abi::Handle;
    Table of{};
#define WHORL_MPI_FILL(name, ...)                                                                            \
    Function<Native, &Table::name>::native =                                                                 \
        reinterpret_cast<typename Function<Native, &Table::name>::Pointer>(library.need("MPI_" #name));      \
    of.name = Function<Native, &Table::name>::call
    WHORL_MPI_FUNCTIONS(WHORL_MPI_FILL)
#undef WHORL_MPI_FILL
#define WHORL_MPI_FILL(type, name, mpich, standard, open_mpi)                                                \
    of.name = widen<type>(Abi::handle(library, mpich, standard, #open_mpi))
    WHORL_MPI_HANDLES(WHORL_MPI_FILL)
#undef WHORL_MPI_FILL
#define WHORL_MPI_FILL(type, name, mpich, standard, open_mpi)                                                \
    of.name = as<type>(Abi::number(mpich, standard, open_mpi))
    WHORL_MPI_NUMBERS(WHORL_MPI_FILL)
#undef WHORL_MPI_FILL
    of.Testall = call_with_requests<Native, &Table::Testall, int*, MPI_Status*>;
    of.Waitall = call_with_requests<Native, &Table::Waitall, MPI_Status*>;
    of.Waitany = call_with_requests<Native, &Table::Waitany, int*, MPI_Status*>;
    if constexpr (std::is_pointer_v<Native>)
        FromFortran<Abi>::native = reinterpret_cast<Native (*)(int)>(library.need(Abi::from_fortran));
    of.Comm_f2c = FromFortran<Abi>::call;
    void* const query = library.find("MPIX_Query_cuda_support");
    of.query_cuda = query ? reinterpret_cast<int (*)()>(query) : [] { return 0; };
    of.handle_bytes = sizeof(Native);
    return of;
}

// Libraries of the other interfaces may have the function as well, and say that theirs is not the standard's.
bool is_standard(const Library& library) {
    int major = 0, minor = 0;
    const auto version = reinterpret_cast<int (*)(int*, int*)>(library.find("MPI_Abi_get_version"));
    return version && version(&major, &minor) == MPI_SUCCESS && major > 0;
}

} // namespace

void connect(const std::string& module) {
    static std::string connected;
    if (module == connected) return;
    WHORL_REQUIRE(!in_use && connected.empty(),
                  "MPI of " + module + " comes too late: flows of one rank, or of another MPI (" + connected +
                      "), were made before; import whorl before them.");
    const Library library(module);
    if (is_standard(library))
        table = table_of<Standard>(library);
    else if (library.find("ompi_mpi_comm_world"))
        table = table_of<OpenMpi>(library);
    else
        table = table_of<Mpich>(library);
    connected = module;
}

NativeTypes::NativeTypes(std::span<const MPI_Datatype> types) : bytes_(types.size() * table.handle_bytes) {
    static_assert(std::endian::native == std::endian::little, "a short handle is the begin of a long one");
    for (std::size_t i = 0; i < types.size(); ++i)
        std::memcpy(&bytes_[i * table.handle_bytes], &types[i], table.handle_bytes);
}

} // namespace whorl::exchange::mpi
