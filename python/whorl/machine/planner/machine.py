"""The planner's description of a machine, a TOML file with these sections; every option is declared once.

Rates are those of one device (a GPU, or a core) while all devices of the node work, and links those of one
rank while all ranks send. They are rates that a program reaches, not those of a data sheet. `whorl bench
machine` measures them.
"""

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from tomlkit.items import Table

from whorl.base.errors import CaseError
from whorl.base.files import is_file
from whorl.config.case import read_toml
from whorl.config.explain import describe, did_you_mean, explain
from whorl.config.section import Precision, Section, listed, option
from whorl.particles.options import KINDS

MACHINES = Path(__file__).parent / "machines"
LEVELS = ("pair", "node", "group", "machine")
SINGLE, DOUBLE = 4, 8  # bytes of a real number

Positive = Annotated[float, Field(gt=0)]
Rates1D = Annotated[tuple[Positive, ...], BeforeValidator(listed)]


def smallest_and_largest(ends: tuple[float, ...]) -> tuple[float, ...]:
    if len(ends) not in (0, 2) or list(ends) != sorted(ends):
        raise ValueError("it must be empty or two numbers, the smallest and the largest")
    return ends


Range = Annotated[tuple[Positive, ...], BeforeValidator(listed), AfterValidator(smallest_and_largest)]


class About(Section):
    """The name of the machine and the source of the numbers."""

    name: str = option(..., "its name")
    description: str = option("", "what it is")
    source: str = option(..., "where the numbers come from")


class MachineNode(Section):
    """The devices and memory of a node, and how they are used."""

    kind: Literal["cpu", "gpu"] = option("cpu", "whether a device is a core or a GPU")
    devices: int = option(..., "cores or GPUs of a node", ge=1)
    ranks: int = option(..., "MPI ranks a node, sharing the devices evenly", ge=1)
    memory: float = option(..., "memory of a node that fields may fill", unit="GiB", gt=0)
    overhead: float = option(
        0.0, "memory of a rank's process besides arrays: Python, libraries, MPI", unit="MiB", ge=0
    )
    nodes: int = option(1, "nodes of the machine", ge=1)
    measured: int = option(
        0, "most nodes on which links were measured; they are extrapolated beyond; 0: unknown", ge=0
    )

    @model_validator(mode="after")
    def _ranks_share_devices(self) -> "MachineNode":
        if self.kind == "gpu" and self.ranks > self.devices:
            raise ValueError(
                f"node.ranks = {self.ranks} are more than node.devices = {self.devices} GPUs, which is not "
                "planned; give the same number of both"
            )
        if self.devices % self.ranks:
            raise ValueError(
                f"node.ranks = {self.ranks} do not share node.devices = {self.devices} evenly; give a divisor"
            )
        if self.kind == "gpu" and self.ranks < self.devices:
            raise ValueError(
                f"node.ranks = {self.ranks} leave GPUs of node.devices = {self.devices} idle, because a rank "
                "has one; give the number that is used for both"
            )
        return self


class Rates(Section):
    """Rates of a device in one precision: transforms by line length, memory traffic by working set."""

    points: Rates1D = option(..., "lengths of lines with a measured rate, ascending", min_length=1)
    x: Rates1D = option(..., "transforms along x at these lengths, 5 N log2 N a complex line", unit="GFLOP/s")
    y: Rates1D = option(..., "transforms along y", unit="GFLOP/s")
    z: Rates1D = option(..., "transforms along z", unit="GFLOP/s")
    working_set: Rates1D = option(
        (1.0,), "arrays of a device with a measured bandwidth, ascending", unit="MB", min_length=1
    )
    copies: Rates1D = option(..., "copies that pack and unpack, read and written", unit="GB/s", min_length=1)
    point: Rates1D = option(..., "work at the grid points, read and written", unit="GB/s")
    modes: Rates1D = option(..., "work on modes, read and written", unit="GB/s")

    @model_validator(mode="after")
    def _tables_fit(self) -> "Rates":
        check_tables(self, {"points": ("x", "y", "z"), "working_set": ("copies", "point", "modes")})
        return self


def check_tables(section: Section, tables: dict[str, tuple[str, ...]]) -> None:
    """Raises ValueError unless the arguments of each table ascend and its functions have a value at each."""
    for key, names in tables.items():
        abscissa = getattr(section, key)
        if any(a >= b for a, b in pairwise(abscissa)):
            raise ValueError(f"{key} = {list(abscissa)} must ascend")
        for name in names:
            if len(getattr(section, name)) != len(abscissa):
                raise ValueError(
                    f"{name} has {len(getattr(section, name))} numbers and {key} has {len(abscissa)}; give "
                    "one for each"
                )


class Link(Section):
    """The link between ranks that meet at one level, and at none below."""

    level: Literal["pair", "node", "group", "machine"] = option(..., "where it leads: within this, ascending")
    ranks: int = option(..., "neighbouring ranks that are together at this level; 0: all", ge=0)
    bandwidth: float = option(..., "bandwidth of a rank to one peer in an all-to-all", unit="GB/s", gt=0)
    contention: float = option(
        0.0, "the bandwidth falls as (peers at this level and below) to the power of minus this", ge=0, le=1
    )
    latency: float = option(0.0, "time of a message, independent of its size", unit="µs", ge=0)
    total: float = option(
        0.0, "most that all ranks of a run send at this level together; 0: no limit", unit="GB/s", ge=0
    )
    messages: Range = option((), "smallest and largest message measured; empty: unknown", unit="MiB")
    peak: float = option(
        0.0,
        "bandwidth for the bytes by which a message is smaller than all measured; 0: that of all others",
        unit="GB/s",
        ge=0,
    )
    hidden: float = option(0.0, "fraction of its time that work may hide if a transport overlaps", ge=0, le=1)

    @model_validator(mode="after")
    def _smaller_messages(self) -> "Link":
        if self.peak and (not self.messages or self.peak < self.bandwidth):
            raise ValueError(
                f"peak = {self.peak:g} goes with messages and is not below bandwidth = {self.bandwidth:g}"
            )
        return self


class ParticleCost(Section):
    """The time of a device for a particle of a kind, without that of the round trip of its inputs."""

    kind: Literal[*KINDS] = option(..., "kind of particles")  # type: ignore[valid-type]
    interpolation: Literal["lagrange", "spline"] = option(..., "how the flow is interpolated")
    precision: Precision = option(..., "precision of the fields")
    points: Rates1D = option(..., "grid points along an axis that a value is from, ascending", min_length=1)
    nanoseconds: Rates1D = option(..., "time of a device for a particle in a stage of a step", unit="ns")

    @model_validator(mode="after")
    def _tables_fit(self) -> "ParticleCost":
        check_tables(self, {"points": ("nanoseconds",)})
        return self


class Files(Section):
    """The file system."""

    bandwidth: float = option(..., "written by all nodes together, at most", unit="GB/s", gt=0)
    bandwidth_node: float = option(..., "written by one node, at most", unit="GB/s", gt=0)


class Machine(Section):
    """A machine, from sections as a TOML file has them. See also `load_machine`."""

    machine: About
    node: MachineNode
    single: Rates | None = None
    double: Rates | None = None
    links: Annotated[tuple[Link, ...], BeforeValidator(listed)] = ()
    files: Files
    particles: Annotated[tuple[ParticleCost, ...], BeforeValidator(listed)] = ()

    @model_validator(mode="after")
    def _complete(self) -> "Machine":
        if self.single is None and self.double is None:
            raise ValueError("[single] and [double] are missing; give the rates of one precision")
        reach = [link.ranks or float("inf") for link in self.links]
        levels = [LEVELS.index(link.level) for link in self.links]
        if any(a >= b for a, b in pairwise(reach)) or any(a >= b for a, b in pairwise(levels)):
            raise ValueError("[[links]] must ascend, each joining more ranks than the one before")
        ranks = self.node.ranks * self.node.nodes
        if max(reach, default=1) < ranks:
            raise ValueError(f"[[links]] must join all {ranks} ranks; give the last one ranks = 0")
        return self

    @model_validator(mode="after")
    def _one_cost(self) -> "Machine":
        ways = [(one.kind, one.interpolation, one.precision) for one in self.particles]
        if twice := [way for n, way in enumerate(ways) if way in ways[:n]]:
            raise ValueError(
                f"two [[particles]] are of {' by '.join(twice[0][:2])} in {twice[0][2]} precision; give one, "
                "with all its points"
            )
        return self

    @property
    def device(self) -> str:
        """The device for which the core counts memory: all GPUs are alike."""
        return "cuda" if self.node.kind == "gpu" else "cpu"

    def rates(self, real_bytes: int) -> tuple[Rates, float]:
        """The rates for reals of 4 or 8 bytes, and a factor on those of transforms.

        If only the other precision was measured, its rates of traffic are used unchanged. Those of transforms
        are scaled by the ratio of the sizes, whether memory or vector width limits them.
        """
        wanted, other = (self.single, self.double) if real_bytes == SINGLE else (self.double, self.single)
        if wanted is not None:
            return wanted, 1.0
        assert other is not None
        return other, 2.0 if real_bytes == SINGLE else 0.5

    def cost_of_particles(self, kind: str, interpolation: str, real_bytes: int) -> ParticleCost | None:
        """The cost of a kind for reals of 4 or 8 bytes, else in the other precision; None without either."""
        alike = [one for one in self.particles if (one.kind, one.interpolation) == (kind, interpolation)]
        wanted = "single" if real_bytes == SINGLE else "double"
        return min(alike, key=lambda one: one.precision != wanted, default=None)


def shipped_machines() -> dict[str, Path]:
    """Names of the machines that come with whorl, with their files."""
    return {path.stem: path for path in sorted(MACHINES.glob("*.toml"))}


def load_machine(source: str | Path) -> Machine:
    """The machine in a TOML file, in NAME.toml in the working directory, or of a shipped name, in this order.

    Raises CaseError with the option, its value and the values that are allowed.
    """
    path = find_machine(source)
    return machine_from(read_toml(path), str(path))


def find_machine(source: str | Path) -> Path:
    ready = shipped_machines()
    for path in (Path(source), Path(f"{source}.toml"), ready.get(str(source))):
        if path is not None and is_file(path):
            return path
    near = did_you_mean(str(source), ready) or "."
    raise CaseError(
        f"{source} is no machine file and no name of a machine{near} Machines: {', '.join(ready)}; whorl "
        "bench machine measures this one, and without --machine a plan is for it."
    )


def machine_from(sections: dict[str, Any], where: str = "machine") -> Machine:
    """A machine from dicts. Raises CaseError, beginning with `where`."""
    try:
        return Machine(**sections)
    except ValidationError as error:
        raise CaseError(f"{where}: {explain(error, Machine)}") from None


def machine_text(text: str) -> Machine:
    """A machine from TOML text."""
    return machine_from(tomllib.loads(text))


def machine_toml(machine: Machine, comment: str = "") -> str:
    """The text of a machine file; `comment` is at its top."""
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    for name in Machine.model_fields:
        value = getattr(machine, name)
        if isinstance(value, Section):
            document.add(name, _table(value))
        elif value:
            tables = tomlkit.aot()
            for index, section in enumerate(value):
                tables.append(_table(section, with_help=index == 0))
            document.add(name, tables)
    return tomlkit.dumps(document)


def _table(section: Section, with_help: bool = True) -> Table:
    table = tomlkit.table()
    for key, value in section.model_dump().items():
        item = tomlkit.item(list(value) if isinstance(value, tuple) else value)
        about = describe(key, type(section).model_fields[key])
        if with_help:
            item.comment(f"{about.help} [{about.unit}]" if about.unit else about.help)
        table.add(key, item)
    return table
