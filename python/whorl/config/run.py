"""Options of [run]."""

from typing import Annotated, Any, Literal

from pydantic import PlainValidator

from whorl.base.declared import CHOICES, DEVICES, PLAIN_TRANSPORT, TRANSPORTS
from whorl.config.clock import Every
from whorl.config.section import LARGEST_COUNT, Precision, ProcessGrid, Section, option

AUTO = "auto"  # the transport is chosen by measuring at the start, the wall time by the batch system
NEVER = "never"
LEAST_WALL_TIME = 60.0  # seconds, some of which are kept for the end


def real_seconds(value: Any) -> float:
    """Seconds of an interval of real time, such as "6 hours". Raises ValueError for another value."""
    every = Every.read(value)
    if every is None or every.unit != "minutes":
        raise ValueError(
            f'it must be "{AUTO}", "{NEVER}" or real time: "N seconds", "N minutes", "N hours" or "N days"'
        )
    return 60 * every.of_usual_size().amount


def _wall_time(value: Any) -> str:
    if value not in (AUTO, NEVER) and real_seconds(value) < LEAST_WALL_TIME:
        raise ValueError(f"it must be at least {LEAST_WALL_TIME:g} seconds, some of which the end needs")
    return value


class Run(Section):
    """Precision, ranks, threads and device; the solution depends on these only by rounding."""

    precision: Precision = option(CHOICES["precision"][0], "floating-point precision")
    threads: int = option(
        0, "threads per rank; 0: the cores available, shared fairly among the ranks", ge=0, le=LARGEST_COUNT
    )
    process_grid: ProcessGrid = option((0, 0), "ranks as rows × columns; [0, 0]: chosen by whorl")
    batches: int = option(0, "batches of an exchange; 0: chosen by whorl", ge=0, le=LARGEST_COUNT)
    transport: Literal[*TRANSPORTS, AUTO] = option(  # type: ignore[valid-type]
        PLAIN_TRANSPORT, "how ranks exchange data (docs/exchange); auto: measured at the start"
    )
    wire: Literal[*CHOICES["wire"]] = option(  # type: ignore[valid-type]
        CHOICES["wire"][0], "precision of data sent between ranks; single halves the bytes of a double run"
    )
    threading: Literal[*CHOICES["threading"]] = option(  # type: ignore[valid-type]
        CHOICES["threading"][0], "threads that exchange: the main thread, one next to it, or all"
    )
    variables_per_message: int = option(0, "variables in one message; 0: all of them", ge=0, le=LARGEST_COUNT)
    exchange_timeout: float = option(
        0.0, "an exchange that takes longer ends the run with a message; 0: no limit", unit="seconds", ge=0
    )
    wall_time: Annotated[str, PlainValidator(_wall_time)] = option(
        AUTO,
        'real time within which the run ends with a checkpoint and exit code 85, such as "6 hours"; auto: '
        "that of the job in Slurm or PBS; never: no limit",
    )
    lines: Literal[*CHOICES["lines"]] = option(  # type: ignore[valid-type]
        CHOICES["lines"][0],
        "one-dimensional transforms (docs/lines.md): whorl's own, FFTW's (on a GPU its library's), or auto, "
        "the fastest of them, measured at the start",
    )
    compile: Literal["auto", "always", "never"] = option(
        "auto",
        "whether typed equations are compiled, for a CPU by this machine's C compiler, for an NVIDIA GPU by "
        "NVRTC (package cuda-bindings); auto: on grids of at least 64³ points",
    )
    device: Literal[*DEVICES] = option(  # type: ignore[valid-type]
        next(iter(DEVICES)),
        "device that holds the fields: cuda, an NVIDIA GPU per rank; hip, an AMD GPU, which no build has "
        "yet; cpu-as-gpu, for tests",
    )
    gpu_aware: Literal[*CHOICES["gpu_aware"]] = option(  # type: ignore[valid-type]
        CHOICES["gpu_aware"][0],
        "whether MPI accepts buffers in a GPU's memory; auto: as the library reports",
    )
