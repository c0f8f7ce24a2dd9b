"""Flows with forces, and the work of these."""

from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

REST = {"name": "zero"}
# So weak a force that the flow does not react to itself: u·∇u is 1e-12 of everything else.
WEAK = 1e-24
RANDOM = {"name": "random", "k0": 2.0, "seed": 3}


def make(forcing, *, points=16, viscosity=0.0, scheme="rk4", dt=0.02, initial=REST, time=None, **sections):
    """A simulation with these forces; a flow of another model gives all of its own parameters."""
    grid, flow = {"points": points} | sections.pop("grid", {}), sections.pop("flow", {})
    return Simulation(
        Case(
            grid=grid,
            flow=flow if "model" in flow else {"viscosity": viscosity} | flow,
            time={"scheme": scheme} | (time or {"dt": dt, "steps": 10**6}),
            initial=initial,
            forcing=forcing if isinstance(forcing, list) else [forcing],
            run={"threads": 1, "device": devices.current()} | sections.pop("run", {}),
            **sections,
        )
    )


def advanced(simulation: Simulation, steps: int) -> Simulation:
    for _ in range(steps):
        simulation.step()
    return simulation


def work(simulation: Simulation, name: str) -> tuple[float, float]:
    """Mean power of the last step, and work so far."""
    index = [force.label for force in simulation.case.forcing].index(name)
    return simulation.flow.work_of_sources()[index]
