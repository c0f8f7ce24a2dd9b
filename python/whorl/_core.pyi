from collections.abc import Callable, Mapping, Sequence
import os
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


class Error(ValueError):
    pass

class StageTable:
    """
    Rows of m, entries of v, how far a stage goes on in time; of exponential time differencing also plain, phi and reach.
    """

    def __init__(self, *, m: Sequence[Sequence[float]], v: Sequence[float], advance: float, plain: Sequence[Sequence[float]] = [], phi: Sequence[Sequence[float]] = [], reach: Sequence[float] = []) -> None: ...

class Scheme:
    """A time scheme; see whorl.config.schemes."""

    def __init__(self, *, name: str, stages: Sequence[StageTable], earlier: int = 0, estimates: bool = False) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def registers(self) -> int: ...

class Source:
    """The options of a source; see whorl.forcing.options."""

    def __init__(self, *, kind: str, name: str, field: str, numbers: Mapping[str, float] = {}, shells: Sequence[float] = []) -> None: ...

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def field(self) -> str: ...

    @property
    def numbers(self) -> dict[str, float]: ...

    @property
    def shells(self) -> list[float]: ...

class ProgramNeeds:
    """What is needed in a run; see whorl.run.memory.needs."""

    def __init__(self, *, inputs: int = 0, products: int = 0, fluxes: int = 0, product_fields: int = 0, kept: int = 0, forces: int = 0, of_rows: int = 0, values: int = 0, histogram_operands: int = 0, cells: int = 0, sums: int = 0, places: int = 0, pairs: int = 0, groups: int = 0, mode_cells: int = 0, increments: int = 0, moments: int = 0, axis: int = 0, fields: int = 0, nx: int = 0, ny: int = 0, nz: int = 0) -> None: ...

    @property
    def inputs(self) -> int: ...

    @property
    def products(self) -> int: ...

    @property
    def fluxes(self) -> int: ...

    @property
    def product_fields(self) -> int: ...

    @property
    def kept(self) -> int: ...

    @property
    def forces(self) -> int: ...

    @property
    def of_rows(self) -> int: ...

    @property
    def values(self) -> int: ...

    @property
    def histogram_operands(self) -> int: ...

    @property
    def cells(self) -> int: ...

    @property
    def sums(self) -> int: ...

    @property
    def places(self) -> int: ...

    @property
    def pairs(self) -> int: ...

    @property
    def groups(self) -> int: ...

    @property
    def mode_cells(self) -> int: ...

    @property
    def increments(self) -> int: ...

    @property
    def moments(self) -> int: ...

    @property
    def axis(self) -> int: ...

    @property
    def fields(self) -> int: ...

    @property
    def nx(self) -> int: ...

    @property
    def ny(self) -> int: ...

    @property
    def nz(self) -> int: ...

class ProbeNeeds:
    """What is needed in a run; see whorl.run.memory.needs."""

    def __init__(self, *, inputs: int = 0, modes: int = 0, points: int = 0, lines: int = 0, along_x: int = 0, along_y: int = 0, along_z: int = 0) -> None: ...

    @property
    def inputs(self) -> int: ...

    @property
    def modes(self) -> int: ...

    @property
    def points(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def along_x(self) -> int: ...

    @property
    def along_y(self) -> int: ...

    @property
    def along_z(self) -> int: ...

class ParticleNeeds:
    """What is needed in a run; see whorl.run.memory.needs."""

    def __init__(self, *, count: int = 0, vectors: int = 0, points: int = 0, sampled: int = 0, inputs: int = 0, row_bytes: int = 0) -> None: ...

    @property
    def count(self) -> int: ...

    @property
    def vectors(self) -> int: ...

    @property
    def points(self) -> int: ...

    @property
    def sampled(self) -> int: ...

    @property
    def inputs(self) -> int: ...

    @property
    def row_bytes(self) -> int: ...

class Sector:
    """Modes at an angle in [low, high) from an axis; all without an axis."""

    def __init__(self, *, axis: int = -1, low: float = 0.0, high: float = 0.0) -> None: ...

class Term:
    """
    A multiplier of the modes times a field, known by its number; see whorl.expressions.linear.
    """

    def __init__(self, *, field: int, factor: float = 1.0, derivatives: Sequence[int] = [0, 0, 0], power: int = 0, low: float = 0.0, high: float = float('inf'), radius: float = 0.0, sector: Sector = ..., turn: int = 0, exponent: float = 0.0, width: float = 0.0, screen: float = 0.0) -> None: ...

    @property
    def field(self) -> int: ...

    @property
    def factor(self) -> float: ...

class Returned:
    """
    A product of a program that is a part of a field, by the field's number.
    """

    def __init__(self, *, field: int, factor: float = 1.0, derivatives: Sequence[int] = [0, 0, 0], parity: Sequence[bool] = [False, False, False]) -> None: ...

class Program:
    """Operations at each point; see whorl.expressions.plan."""

    def __init__(self, *, inputs: Sequence[Sequence[Term]], numbers: Sequence[float] = [], instructions: Sequence[tuple[str, Sequence[int]]] = [], results: Sequence[int], products: Sequence[Returned] = []) -> None: ...

    @property
    def numbers(self) -> list[float]:
        """Numbers, which may differ at each run."""

    @numbers.setter
    def numbers(self, arg: Sequence[float], /) -> None: ...

    @property
    def places(self) -> int:
        """Where the interpreter keeps numbers, coordinates and results."""

    @property
    def fluxes(self) -> int:
        """The number of products on the leg of columns."""

class ModeAxis:
    """
    Bins along a coordinate of the wavenumber: size, along, across or angle.
    """

    def __init__(self, *, of: str, axis: int = 2, edges: Sequence[float]) -> None: ...

class HistogramShape:
    """The bins of one or two axes, and the number of weights."""

    def __init__(self, *, bins: Sequence[int], weights: int = 0) -> None: ...

class Wanted:
    """
    The results of a program: means, maxima, products, values at every point, then the operands of histograms. The last means are by plane, across axes 1 = y or 2 = z.
    """

    def __init__(self, *, means: int = 0, maxima: int = 0, products: int = 0, values: int = 0, histograms: Sequence[HistogramShape] = [], planes: Sequence[int] = []) -> None: ...

class Counted:
    """The counts of a histogram by cell, and by weight the sums by cell."""

    @property
    def counts(self) -> list[int]: ...

    @property
    def sums(self) -> list[list[float]]: ...

class Found:
    """
    The means and maxima of a program, its histograms, and the means by plane.
    """

    @property
    def means(self) -> list[float]: ...

    @property
    def maxima(self) -> list[float]: ...

    @property
    def histograms(self) -> list[Counted]: ...

    @property
    def planes(self) -> list[list[float]]: ...

class Probe:
    """A probe, which is read again and again; see whorl.probes.ask."""

    @property
    def size(self) -> int: ...

    def read(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Reads the present state into an array. Collective."""

def operations() -> dict[str, int]:
    """The operations of programs with their numbers of arguments."""

class EquationField:
    """
    A field of typed equations: a rate is a sum of pairs (factor, power of |k|), and odd has for each component whether it is odd along x, y, z.
    """

    def __init__(self, *, name: str, components: int = 1, solenoidal: bool = False, projected: bool = False, odd: Sequence[Sequence[bool]] = ..., rate: Sequence[tuple[float, float]] = []) -> None: ...

class FluxPart:
    """A part of a flux, factor i^turn kx^a ky^b product."""

    def __init__(self, *, product: int, factor: float = 1.0, a: int = 0, b: int = 0, turn: int = 0) -> None: ...

class MeanSource:
    """
    A tendency of the mean of a component, times a result of the clock unless that is -1.
    """

    def __init__(self, *, component: int, factor: float = 1.0, clock: int = -1) -> None: ...

class ClockPlan:
    """
    Numbers of the time and of means; inputs of the program are the time, then the means. Numbers are pairs: that of the point program, and a result.
    """

    def __init__(self, *, forms: Sequence[Sequence[Term]] = [], means: Sequence[Sequence[int]] = [], program: Program, numbers: Sequence[Sequence[int]] = []) -> None: ...

class Round:
    """
    A round trip that makes inner fields, the products of its program; numbers are pairs: that of the program, and a result of the clock.
    """

    def __init__(self, *, program: Program, numbers: Sequence[Sequence[int]] = []) -> None: ...

class RowCode:
    """
    Addresses of compiled functions of rows (equations/row_code.hpp), or 0; their numbers are double or single. On a GPU kernels have them (load_kernels()).
    """

    def __init__(self, *, of_double: bool, load: int = 0, work: int = 0, contract: int = 0, tendency: int = 0, kernels: int = 0) -> None: ...

class EquationPlan:
    """
    Typed equations as numbers: tendency and coupling have the terms of each component, of fluxes and of components.
    """

    def __init__(self, *, fields: Sequence[EquationField], point: Program, odd_products: Sequence[Sequence[bool]], fluxes: Sequence[Sequence[FluxPart]], tendency: Sequence[Sequence[Term]], coupling: Sequence[Sequence[Term]], varying: Sequence[Sequence[Term]] = [], varying_by: Sequence[int] = [], sources: Sequence[MeanSource] = [], clock: ClockPlan = ..., blocks: Sequence[Sequence[int]] = [], velocity_inputs: int = 0, amplifies: bool = False, rounds: Sequence[Round] = [], code: RowCode = ...) -> None: ...

    @property
    def compiled(self) -> bool:
        """Whether functions of rows were compiled."""

class HeldCheckpoint:
    @property
    def ready(self) -> bool:
        """Whether the thread of this rank has ended."""

    def finish(self) -> None:
        """
        Waits for the threads of all ranks. The checkpoint appears then; without this call nothing remains.
        """

class OpenSnapshot:
    def add_field(self, name: str, components: int) -> None: ...

    @overload
    def write_block(self, name: str, z0: int, z1: int, y0: int, y1: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order='C', device='cpu')]) -> None: ...

    @overload
    def write_block(self, name: str, z0: int, z1: int, y0: int, y1: int, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')]) -> None:
        """
        This rank's values, (components, z1 - z0, y1 - y0, nx); every rank calls it equally often.
        """

    def __enter__(self) -> OpenSnapshot: ...

    def __exit__(self, kind: object | None, error: object | None, trace: object | None) -> None: ...

class Options:
    """The options of a flow; see whorl.config.case for units and ranges."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def model(self) -> str: ...

    @model.setter
    def model(self, arg: str, /) -> None: ...

    @property
    def device(self) -> str: ...

    @device.setter
    def device(self, arg: str, /) -> None: ...

    @property
    def precision(self) -> str: ...

    @precision.setter
    def precision(self, arg: str, /) -> None: ...

    @property
    def points(self) -> list[int]: ...

    @points.setter
    def points(self, arg: Sequence[int], /) -> None: ...

    @property
    def lengths(self) -> list[float]: ...

    @lengths.setter
    def lengths(self, arg: Sequence[float], /) -> None: ...

    @property
    def bases(self) -> str: ...

    @bases.setter
    def bases(self, arg: str, /) -> None: ...

    @property
    def dealias(self) -> str: ...

    @dealias.setter
    def dealias(self, arg: str, /) -> None: ...

    @property
    def shape(self) -> str: ...

    @shape.setter
    def shape(self, arg: str, /) -> None: ...

    @property
    def scheme(self) -> Scheme: ...

    @scheme.setter
    def scheme(self, arg: Scheme, /) -> None: ...

    @property
    def linear(self) -> str: ...

    @linear.setter
    def linear(self, arg: str, /) -> None: ...

    @property
    def parameters(self) -> dict[str, float]: ...

    @parameters.setter
    def parameters(self, arg: Mapping[str, float], /) -> None: ...

    @property
    def equations(self) -> EquationPlan: ...

    @equations.setter
    def equations(self, arg: EquationPlan, /) -> None: ...

    @property
    def scalars(self) -> list[tuple[str, list[float]]]: ...

    @scalars.setter
    def scalars(self, arg: Sequence[tuple[str, Sequence[float]]], /) -> None: ...

    @property
    def forcing(self) -> list[Source]: ...

    @forcing.setter
    def forcing(self, arg: Sequence[Source], /) -> None: ...

    @property
    def programs(self) -> list[ProgramNeeds]: ...

    @programs.setter
    def programs(self, arg: Sequence[ProgramNeeds], /) -> None: ...

    @property
    def probes(self) -> list[ProbeNeeds]: ...

    @probes.setter
    def probes(self, arg: Sequence[ProbeNeeds], /) -> None: ...

    @property
    def particles(self) -> list[ParticleNeeds]: ...

    @particles.setter
    def particles(self, arg: Sequence[ParticleNeeds], /) -> None: ...

    @property
    def process_grid(self) -> list[int]: ...

    @process_grid.setter
    def process_grid(self, arg: Sequence[int], /) -> None: ...

    @property
    def batches(self) -> int: ...

    @batches.setter
    def batches(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def transport(self) -> str: ...

    @transport.setter
    def transport(self, arg: str, /) -> None: ...

    @property
    def gpu_aware(self) -> str: ...

    @gpu_aware.setter
    def gpu_aware(self, arg: str, /) -> None: ...

    @property
    def wire(self) -> str: ...

    @wire.setter
    def wire(self, arg: str, /) -> None: ...

    @property
    def threading(self) -> str: ...

    @threading.setter
    def threading(self, arg: str, /) -> None: ...

    @property
    def variables_per_message(self) -> int: ...

    @variables_per_message.setter
    def variables_per_message(self, arg: int, /) -> None: ...

    @property
    def exchange_timeout(self) -> float: ...

    @exchange_timeout.setter
    def exchange_timeout(self, arg: float, /) -> None: ...

    @property
    def lines(self) -> str: ...

    @lines.setter
    def lines(self, arg: str, /) -> None: ...

    @property
    def second_cache(self) -> int: ...

    @second_cache.setter
    def second_cache(self, arg: int, /) -> None: ...

    @property
    def planes(self) -> int: ...

    @planes.setter
    def planes(self, arg: int, /) -> None: ...

    @property
    def plane_bytes(self) -> int: ...

    @plane_bytes.setter
    def plane_bytes(self, arg: int, /) -> None: ...

    @property
    def block_memory(self) -> int: ...

    @block_memory.setter
    def block_memory(self, arg: int, /) -> None: ...

    @property
    def lane_bytes(self) -> int: ...

    @lane_bytes.setter
    def lane_bytes(self, arg: int, /) -> None: ...

    @property
    def block_threads(self) -> int: ...

    @block_threads.setter
    def block_threads(self, arg: int, /) -> None: ...

    @property
    def block_pairs(self) -> int: ...

    @block_pairs.setter
    def block_pairs(self, arg: int, /) -> None: ...

    @property
    def shift_seed(self) -> int: ...

    @shift_seed.setter
    def shift_seed(self, arg: int, /) -> None: ...

class StepReport:
    @property
    def dt(self) -> float: ...

    @property
    def courant(self) -> float: ...

    @property
    def maximum_velocity(self) -> float: ...

    @property
    def dt_usual(self) -> float: ...

class Flow:
    """One simulation in memory. Every call is made by every rank."""

    def __init__(self, options: Options, communicator: int) -> None: ...

    def close(self) -> None:
        """
        Free the memory and MPI's objects of the flow, which cannot be used afterwards. Collective. A flow without references frees its memory without this call, but MPI's objects, such as memory that ranks share, stay until the program ends, unless the flow has one rank.
        """

    @property
    def options(self) -> Options: ...

    @property
    def rank(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    @property
    def threads(self) -> int: ...

    @property
    def process_grid(self) -> list[int]: ...

    @property
    def batches(self) -> int: ...

    @property
    def plane_trials(self) -> list[tuple[int, int, float]]: ...

    @property
    def imbalance(self) -> float: ...

    @property
    def kmax(self) -> float: ...

    @property
    def modes(self) -> int: ...

    @property
    def physical_block(self) -> tuple[int, int, int, int]: ...

    def set_physical(self, fill: Callable[[int, int, int, int, NDArray], None], project: bool = True, field: str = 'velocity') -> None: ...

    def read_fields(self, name: str, consume: Callable[[int, int, int, int, NDArray], None]) -> None: ...

    def set_random(self, energy: Sequence[float], seed: int, field: str = 'velocity') -> None: ...

    def components_of(self, name: str) -> int: ...

    def open_snapshot(self, path: str | os.PathLike, attributes: Mapping[str, str | float | int], single: bool) -> OpenSnapshot:
        """
        A snapshot in a block `with`: it appears at its end, and nothing remains after an exception.
        """

    def write_checkpoint(self, path: str | os.PathLike, attributes: Mapping[str, str | float | int], files: int = 0, single: bool = False) -> None:
        """
        `files`: 0 for one file of all data, -1 for a file of each node's, or the number of data files.
        """

    def begin_checkpoint(self, path: str | os.PathLike, attributes: Mapping[str, str | float | int], files: int = 0, single: bool = False) -> HeldCheckpoint:
        """
        As write_checkpoint(), but a thread of each rank writes the data after it has copied them.
        """

    def read_checkpoint(self, path: str | os.PathLike) -> None: ...

    def read_regridded(self, path: str | os.PathLike, names: Mapping[str, str]) -> None: ...

    @property
    def rows(self) -> dict[str, Any]: ...

    def read_modes(self, name: str, values: Annotated[NDArray[numpy.complex128], dict(shape=(None, None), order='C', device='cpu')] | Annotated[NDArray[numpy.complex64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def write_modes(self, name: str, values: Annotated[NDArray[numpy.complex128], dict(shape=(None, None), order='C', device='cpu')] | Annotated[NDArray[numpy.complex64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def set_force(self, number: int, fill: Callable[[int, int, int, int, NDArray], None]) -> None:
        """
        Set the values of the given source `number` at the grid points, as set_physical does.
        """

    def set_force_modes(self, number: int, values: Annotated[NDArray[numpy.complex128], dict(shape=(None, None), order='C', device='cpu')] | Annotated[NDArray[numpy.complex64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Set the values of the given source `number` at this rank's modes, as write_modes does.
        """

    def set_factor(self, number: int, factor: float) -> None:
        """Set the factor of the values of the given source `number`, 1 at first."""

    def set_factor_in_time(self, number: int, factor: Callable[[float], float]) -> None:
        """
        Give the factor of the source `number` as a function of time, by which a step is chosen.
        """

    def call_for_force(self, number: int, function: Callable[[Flow, float], None]) -> None:
        """
        Call function(flow, time) before each stage at which the given source `number` is needed.
        """

    def speed_of_sources(self, dt: float) -> float:
        """The speed that the sources give a fluid at rest within dt, at most."""

    def forced_wavenumber(self, number: int) -> float:
        """The wavenumber on which a source acts, 0 on all modes. Collective."""

    def begin_sources(self, time: float) -> None:
        """Prepare the sources that depend on the first state. Collective."""

    def work_of_sources(self) -> list[tuple[float, float]]:
        """
        For each source the mean power of the last step and the work since the beginning.
        """

    def power_of_sources(self) -> list[list[float]]:
        """For each source the mean power of the last step by shell. Collective."""

    def save_sources(self) -> dict[str, float]: ...

    def restore_sources(self, saved: Mapping[str, float]) -> None: ...

    def probe_modes(self, inputs: Sequence[Sequence[Term]], modes: Sequence[Sequence[int]]) -> Probe:
        """
        A Probe of the coefficients of inputs at modes, given by whole numbers, [input][mode][re, im].
        """

    def probe_points(self, inputs: Sequence[Sequence[Term]], positions: Sequence[Sequence[float]]) -> Probe:
        """
        A Probe of the values of inputs at positions x, y, z, [input][position].
        """

    def mode_means(self, inputs: Sequence[Sequence[Term]], pairs: Sequence[Sequence[int]]) -> list[float]:
        """
        The means of products of two inputs over all points, or with -1 as the second of the first, from the modes.
        """

    def mode_spectra(self, inputs: Sequence[Sequence[Term]], sums: Sequence[Sequence[Sequence[int]]], axes: Sequence[ModeAxis]) -> list[list[float]]:
        """
        The same of sums of products, by cell of bins along one or two coordinates of the wavenumber. Behind the bins of each is what is beyond.
        """

    def increments(self, program: Program, axis: int, order: int, separations: Sequence[int], pairs: Sequence[Sequence[int]]) -> list[list[float]]:
        """
        The means of moments of the increments of a program's results, [separation][moment]: of each result |d|^1, ..., |d|^order, then d^3, d^5, ...; then d_a d_b^2 of the pairs.
        """

    def run_program(self, program: Program, wanted: Wanted, consume: Callable[[int, int, int, int, NDArray], None]) -> Found:
        """Runs a program. Calls consume as read_fields does with the values."""

    def bring_force(self, field: str, time: float) -> None:
        """
        The force on a field at a time becomes fields of programs, behind the state. Collective.
        """

    def forget_products(self) -> None:
        """
        Forgets the forces and the products that programs have transformed back.
        """

    def narrowed(self, points: Sequence[int]) -> NarrowFlow:
        """
        The present state on fewer points, to the modes that these have, as programs see it. Collective.
        """

    def particles(self, inputs: Sequence[Sequence[Term]], *, drift: Sequence[float], interpolation: str, points: int, kind: str = 'tracer', numbers: Mapping[str, Sequence[float]] = {}, forces: Sequence[str] = [], programs: Sequence[Program] = []) -> Particles:
        """
        A group of particles of a kind, with its options, that goes along with all steps to come; inputs are what the kind takes of the flow, the velocity first, to which a uniform drift is added. They may name the force on some fields, and products of programs without means, which are worked out before each stage. Collective.
        """

    def step(self, dt: float, courant: float = 0.0, dt_max: float = float('inf'), time: float = 0.0, step_number: int = 0, rate_before: float = 0.0, dt_before: float = 0.0, dt_usual: float = 0.0) -> StepReport: ...

    def first_step(self, courant: float, dt_max: float = float('inf'), time: float = 0.0, step_number: int = 0) -> float:
        """
        The longest step from a state of which no step before is known; infinite where nothing moves. Collective.
        """

    def step_errors(self) -> dict[str, tuple[float, float]]:
        """
        By field of the state the root mean square of the error of the last step, and of the field.
        """

    def sums_over_modes(self) -> dict[str, float]: ...

    def statistics(self) -> dict[str, float]: ...

    def spectra(self) -> dict[str, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def transfer(self) -> dict[str, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def evaluate(self) -> None: ...

    def transform_pair(self, field: str = 'velocity') -> None: ...

    def exchange(self, rows: bool, variables: int, inwards: bool) -> None: ...

    def timings(self) -> dict[str, float]: ...

    def traffic(self) -> dict[str, int]: ...

    def messages(self) -> dict[str, int]: ...

    def maximum(self, values: Sequence[float]) -> list[float]:
        """The maximum of each value over all ranks."""

    def reset_timings(self) -> None: ...

    def memory(self) -> dict[str, int]: ...

class NarrowFlow:
    """The state of a flow on fewer points; see Flow.narrowed."""

    def probe_modes(self, inputs: Sequence[Sequence[Term]], modes: Sequence[Sequence[int]]) -> Probe:
        """
        A Probe of the coefficients of inputs at modes, given by whole numbers, [input][mode][re, im].
        """

    def probe_points(self, inputs: Sequence[Sequence[Term]], positions: Sequence[Sequence[float]]) -> Probe:
        """
        A Probe of the values of inputs at positions x, y, z, [input][position].
        """

    def mode_means(self, inputs: Sequence[Sequence[Term]], pairs: Sequence[Sequence[int]]) -> list[float]:
        """
        The means of products of two inputs over all points, or with -1 as the second of the first, from the modes.
        """

    def mode_spectra(self, inputs: Sequence[Sequence[Term]], sums: Sequence[Sequence[Sequence[int]]], axes: Sequence[ModeAxis]) -> list[list[float]]:
        """
        The same of sums of products, by cell of bins along one or two coordinates of the wavenumber. Behind the bins of each is what is beyond.
        """

    def increments(self, program: Program, axis: int, order: int, separations: Sequence[int], pairs: Sequence[Sequence[int]]) -> list[list[float]]:
        """
        The means of moments of the increments of a program's results, [separation][moment]: of each result |d|^1, ..., |d|^order, then d^3, d^5, ...; then d_a d_b^2 of the pairs.
        """

    def run_program(self, program: Program, wanted: Wanted, consume: Callable[[int, int, int, int, NDArray], None]) -> Found:
        """Runs a program. Calls consume as read_fields does with the values."""

    def bring_force(self, field: str, time: float) -> None:
        """
        The force on a field at a time becomes fields of programs, behind the state. Collective.
        """

    def forget_products(self) -> None:
        """
        Forgets the forces and the products that programs have transformed back.
        """

class Particles:
    """A group of particles of a flow; see Flow.particles."""

    @property
    def count(self) -> int:
        """The number on this rank."""

    @property
    def registers(self) -> int:
        """The number of registers of the time scheme."""

    @property
    def variables(self) -> int:
        """
        The number of vectors of each in a register: 1, the position, or 2, and the velocity.
        """

    def add(self, ids: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        Adds those whose points this rank has; values are positions [particle][axis], or [particle][register][variable][axis] of the first register or more.
        """

    def read(self, ids: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], register: int = 0, variable: int = 0) -> None:
        """
        Sets arrays to the identities and the unwrapped positions, or the velocities, [particle][axis], of those on this rank, in any order.
        """

    def reserve(self, count: int) -> None:
        """Makes room for so many on this rank."""

    def follow_flow(self) -> None:
        """
        Sets the velocities of all to that of the flow where they are. Collective.
        """

    def sample(self, inputs: Sequence[Sequence[Term]], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
        """
        Sets an array [particle][input] to inputs at the particles, in the order of read(). Collective.
        """

def build_info() -> dict[str, Any]: ...

def connect_mpi(module: str) -> None:
    """
    Calls MPI in the library of a loaded module, such as mpi4py.MPI, instead of the table of one rank.
    """

def gpu_copy_bandwidth() -> float:
    """Bytes a second that copies within a GPU's memory read and write."""

def kernels_to_link(precision: str) -> bytes:
    """
    The kernels of typed equations as LTO-IR, which lack the functions of rows (RowCode).
    """

def load_kernels(image: bytes) -> int:
    """Loads kernels that were linked, and returns a number for RowCode."""

def gpus() -> list[dict[str, Any]]:
    """
    Name, identity, memory (bytes) and architecture (90 is sm_90) of each GPU this build can use.
    """

def gpu_free_memory(number: int) -> int:
    """Free bytes on a GPU, which this process uses from then on."""

def model_shape(options: Options) -> dict[str, Any]: ...

def registers(options: Options) -> int:
    """The number of copies of the state that a run of these options holds."""

def estimate_memory(options: Options, ranks: int) -> dict[str, int]: ...

def exchange_blocks(options: Options) -> bool: ...

def moves_device_memory(options: Options) -> bool:
    """
    Throws Error where these options cannot move what is in the memory of GPUs.
    """

ROW_BATCHES: int = 3

STREAMS: int = 2

MOST_PLANE_BYTES: int = 536870912

POINTS_OF_BATCH: int = 16777216

def next_good_size(n: int) -> int: ...

def block_of_lines(points: int, variables: int, precision: str, block_memory: int, lane_bytes: int = 0) -> tuple[int, int, list[int]]:
    """
    How lines side by side lie in the memory of a block of threads: bytes a lane, bytes of the block, and the bytes at which the points of the first line begin.
    """

def allowed_process_grids(options: Options, ranks: int) -> list[tuple[int, int]]: ...

def maximum_ranks(options: Options) -> int: ...

def choose_batches(options: Options, process_grid: Sequence[int]) -> int: ...

def shares(options: Options, process_grid: Sequence[int]) -> dict[str, int]: ...

def second_cache() -> int:
    """
    Bytes of a core's second cache, from which the tiles of z lines follow.
    """

def line_rate(n: int, precision: str, threads: int, slowest: Callable[[float], float], trials: int = 11) -> float: ...

class Copies:
    """Copies of 256 MiB by `threads` threads."""

    def __init__(self, threads: int) -> None: ...

    def bandwidth(self, slowest: Callable[[float], float], trials: int = 5) -> float:
        """Bytes a second read and written, by the best of `trials` trials."""

def transfers() -> dict[str, int]:
    """
    Copies between host and devices since the process began; reductions are counted separately.
    """

def allocations() -> int:
    """Blocks of device memory allocated since the process began."""
