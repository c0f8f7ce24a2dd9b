// The device a file is compiled for, of those that are compiled once for each.
#pragma once

#if defined(WHORL_FOR_CUDA)
#include "device/cuda.hpp"
namespace whorl::device {
using Chosen = Cuda;
}
#elif defined(WHORL_FOR_HIP)
#include "device/hip.hpp"
namespace whorl::device {
using Chosen = Hip;
}
#elif defined(WHORL_FOR_CPU_AS_GPU)
#include "device/cpu_as_gpu.hpp"
namespace whorl::device {
using Chosen = CpuAsGpu;
}
#else
#include "device/cpu.hpp"
namespace whorl::device {
using Chosen = Cpu;
}
#endif
