"""The devices that a run may ask for, of which a build has some."""

from typing import NamedTuple


class Device(NamedTuple):
    """How whorl is built for it ("": no build has it yet), and whether it has a memory of its own."""

    build: str
    gpu: bool


DEVICES = {
    "cpu": Device("for any machine", gpu=False),
    "cuda": Device("with CUDA (docs/gpu.md)", gpu=True),
    "hip": Device("", gpu=True),
    "cpu-as-gpu": Device("for tests (-DWHORL_CPU_AS_GPU=ON)", gpu=False),
}
GPUS = tuple(name for name, device in DEVICES.items() if device.gpu)
