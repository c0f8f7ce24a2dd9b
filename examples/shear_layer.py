"""Roll-up of a double shear layer in two dimensions, from an initial field given as a function.

Set-up   as in Brown and Minion, J. Comput. Phys. 122, 165 (1995): two layers of thickness 1/ρ in a
         unit box, bent by a small transverse velocity, roll up into two vortices. A grid too coarse for the
         layers makes spurious vortices in the braids between them.
Scaling  lengths by the box, velocity by the free stream; ρ = 30, δ = 0.05, ν = 2·10⁻⁴ (Re = 5000).
Cost     256² points, about 500 steps: seconds.

    python examples/shear_layer.py        writes shear-layer.png (run it on one rank)
"""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from whorl import Case, Simulation

SHARPNESS, BENDING = 30.0, 0.05


def layers(x, y, z):
    u = np.where(y <= 0.5, np.tanh(SHARPNESS * (y - 0.25)), np.tanh(SHARPNESS * (0.75 - y)))
    return u, BENDING * np.sin(2 * np.pi * x), 0.0


case = Case(
    grid={"points": [256, 256, 1], "lengths": 1.0},
    flow={"viscosity": 2e-4},
    time={"scheme": "rk4", "courant": 1.0, "until": 1.2},
)
simulation = Simulation(case, layers)
pictures = [(0.0, simulation.vorticity()[2, 0])]


@simulation.every(0.4)
def keep(flow):
    pictures.append((flow.time, flow.vorticity()[2, 0]))


simulation.run()

half = 0.5 / 256  # pixel centres are the points, the first of which is at 0
box = (-half, 1 - half, -half, 1 - half)
figure = Figure(figsize=(14, 3.8), layout="constrained")
FigureCanvasAgg(figure)
for axes, (time, vorticity) in zip(figure.subplots(1, len(pictures)), pictures, strict=True):
    image = axes.imshow(vorticity, origin="lower", extent=box, cmap="RdBu_r", vmin=-36, vmax=36)
    axes.set(title=f"t = {time:.2f}", xlabel="x", ylabel="y")
figure.colorbar(image, ax=figure.axes, label="ω")
figure.savefig("shear-layer.png", dpi=120)
print(f"largest vorticity {abs(pictures[-1][1]).max():.1f}, at first {abs(pictures[0][1]).max():.1f}")
