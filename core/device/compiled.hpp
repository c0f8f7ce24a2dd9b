// The devices there are, by name; what each can do is in its own header.
#pragma once

namespace whorl::device {

class Cpu;
class CpuAsGpu;
class Cuda;
class Hip;

} // namespace whorl::device
