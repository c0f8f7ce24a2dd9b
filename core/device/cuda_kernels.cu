// Kernels that are linked when a run begins, with functions of typed equations (equations/row_code.hpp).
#include <string>

#include "base/error.hpp"
#include "device/cuda.hpp"
#include "device/kernels_double.inc"
#include "device/kernels_single.inc"

namespace whorl::device {

std::string cuda_kernels_to_link(bool of_double) {
    const auto text = [](const auto& bytes) {
        return std::string(reinterpret_cast<const char*>(bytes), sizeof bytes);
    };
    return of_double ? text(kernels_double) : text(kernels_single);
}

#if CUDART_VERSION >= 12080

std::uintptr_t load_cuda_kernels(const std::string& image) {
    cudaLibrary_t library = nullptr;
    WHORL_CUDA(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    return reinterpret_cast<std::uintptr_t>(library);
}

const void* cuda::KernelsOf::found(const void* kernel) {
    if (const auto place = known_.find(kernel); place != known_.end()) return place->second;
    const char* name = nullptr;
    WHORL_CUDA(cudaFuncGetName(&name, kernel));
    cudaKernel_t linked = nullptr;
    const cudaError_t code = cudaLibraryGetKernel(&linked, library_, name);
    if (code == cudaErrorSymbolNotFound)
        static_cast<void>(cudaGetLastError()); // a kernel that has no such function
    else
        check_cuda(code, "cudaLibraryGetKernel");
    return known_[kernel] = linked ? reinterpret_cast<const void*>(linked) : kernel;
}

#else

std::uintptr_t load_cuda_kernels(const std::string&) {
    throw Error("CUDA before 12.8 cannot load kernels that were linked at run time.");
}
const void* cuda::KernelsOf::found(const void* kernel) { return kernel; }

#endif

void cuda::KernelsOf::set(std::uintptr_t library) {
    library_ = reinterpret_cast<cudaLibrary_t>(library); // NOLINT: the border carries an address
    known_.clear();
}

} // namespace whorl::device
