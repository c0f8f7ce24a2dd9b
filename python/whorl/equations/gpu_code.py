"""Kernels of a GPU are linked with functions of rows, by NVRTC and nvJitLink (`core/equations/row_code.hpp`).

cuda-bindings of NVIDIA calls both, and needs no GPU.
"""

import time
from typing import Any

from whorl.equations.c_source import Source
from whorl.equations.row_code import Library, NoCode

PACKAGE = "cuda-bindings"


def linked(source: Source, kernels: bytes, architecture: int) -> Library:
    """The kernels with the functions of a text, as machine code for sm_`architecture`. Raises NoCode."""
    start = time.perf_counter()
    made, _ = linked_and_told(source, kernels, architecture)
    return Library(made, "NVRTC", time.perf_counter() - start)


def linked_and_told(source: Source, kernels: bytes, architecture: int) -> tuple[bytes, str]:
    """The machine code, and the assembler's report on registers and stacks. Raises NoCode."""
    try:
        from cuda.bindings import nvjitlink, nvrtc
    except (ImportError, OSError, RuntimeError):
        raise NoCode(f"the package {PACKAGE} is not there") from None
    try:
        return _linked(nvjitlink, _compiled(nvrtc, source.text, architecture), kernels, architecture)
    except (OSError, RuntimeError, nvjitlink.nvJitLinkError) as error:
        raise NoCode(f"NVRTC or nvJitLink failed: {' '.join(str(error).split())}") from None


def _compiled(nvrtc, text: str, architecture: int) -> bytes:
    """LTO-IR of a text, which includes nothing. Raises NoCode."""

    def checked(results: tuple) -> Any:
        if (code := results[0]) != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise NoCode(f"NVRTC failed ({code.name}){_last_error(nvrtc, program)}")
        return results[1] if len(results) > 1 else None

    program = None
    program = checked(nvrtc.nvrtcCreateProgram(text.encode(), b"rows.cu", 0, [], []))
    options = [b"-dlto", b"-rdc=true", f"--gpu-architecture=compute_{architecture}".encode()]
    try:
        checked(nvrtc.nvrtcCompileProgram(program, len(options), options))
        made = bytearray(checked(nvrtc.nvrtcGetLTOIRSize(program)))
        checked(nvrtc.nvrtcGetLTOIR(program, made))
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    return bytes(made)


def _last_error(nvrtc, program) -> str:
    if program is None:
        return ""
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = bytearray(size)
    nvrtc.nvrtcGetProgramLog(program, log)
    lines = log.decode(errors="replace").splitlines()
    return next((f": {line.strip()}" for line in lines if "error" in line), "")


def _linked(nvjitlink, functions: bytes, kernels: bytes, architecture: int) -> tuple[bytes, str]:
    options = [f"-arch=sm_{architecture}", "-lto", "-verbose", "-Xptxas=-v"]
    handle = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.FATBIN, kernels, len(kernels), "kernels")
        nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, functions, len(functions), "rows")
        nvjitlink.complete(handle)
        made = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, made)
        told = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, told)
    finally:
        nvjitlink.destroy(handle)
    return bytes(made), told.decode(errors="replace")
