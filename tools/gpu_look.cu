// What tools/gpu_check looks at before it builds: the headers it compiles with, the GPU, whether memory comes
// from pools, and whether a kernel runs in blocks with 200 KiB of memory, or as much as there is. Prints one
// line of JSON.
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>
#include <cufft.h>

namespace {

constexpr int threads = 256;

__global__ void fill(int* sums, int numbers) {
    extern __shared__ int memory[];
    for (int i = threadIdx.x; i < numbers; i += blockDim.x) memory[numbers - 1 - i] = i;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < numbers; i += blockDim.x) sum += memory[i] % 7;
    atomicAdd(sums + blockIdx.x, sum);
}

int number(cudaDeviceAttr attribute) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : 0;
}

// Whether the sums of a block with so many bytes are right.
bool runs_with(int bytes) {
    const int numbers = bytes / static_cast<int>(sizeof(int));
    int expected = 0, found[2] = {0, 0};
    for (int i = 0; i < numbers; ++i) expected += i % 7;
    int* sums = nullptr;
    if (cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess ||
        cudaMalloc(&sums, sizeof found) != cudaSuccess || cudaMemset(sums, 0, sizeof found) != cudaSuccess)
        return false;
    fill<<<2, threads, static_cast<unsigned>(bytes)>>>(sums, numbers);
    const bool ran = cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess;
    return cudaFree(sums) == cudaSuccess && ran && found[0] == expected && found[1] == expected;
}

} // namespace

int main() {
    int gpus = 0, driver = 0;
    const cudaError_t code = cudaGetDeviceCount(&gpus);
    cudaDriverGetVersion(&driver);
    if (code != cudaSuccess || gpus == 0) {
        std::printf("{\"gpus\": 0, \"said\": \"%s\", \"driver\": %d}\n", cudaGetErrorString(code), driver);
        return 1;
    }
    const int most = number(cudaDevAttrMaxSharedMemoryPerBlockOptin), bytes = std::min(most, 200 << 10);
    const bool runs = runs_with(bytes);
    std::printf("{\"gpus\": %d, \"capability\": \"%d.%d\", \"driver\": %d, \"cuda\": %d, \"cufft\": %d, "
                "\"pools\": %s, \"block_memory\": %d, \"asked\": %d, \"runs\": %s, \"said\": \"%s\"}\n",
                gpus, number(cudaDevAttrComputeCapabilityMajor), number(cudaDevAttrComputeCapabilityMinor),
                driver, CUDART_VERSION, CUFFT_VERSION,
                number(cudaDevAttrMemoryPoolsSupported) ? "true" : "false", most, bytes,
                runs ? "true" : "false", cudaGetErrorString(cudaGetLastError()));
    return runs ? 0 : 1;
}
