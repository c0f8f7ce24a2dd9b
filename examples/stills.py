"""Stills of two flows: sheets of current in a magnetic field, and plumes between two plates.

Set-up   the ready cases orszag-tang, and rayleigh-benard in a box as long as it is high.
Scaling  that of the cases: the current is largest at t ≈ 2, and convection is statistically steady at t = 30.
Cost     256² and 128² points: two minutes.

    python examples/stills.py      writes orszag-tang.webp and rayleigh-benard.webp (run it on one rank)
"""

import numpy as np
from matplotlib import colormaps
from PIL import Image
from whorl import Simulation, load_case

PIXELS = 480


def draw(name, values, colours):
    """Write values in [0, 1] with the first row below, in a map of colours."""
    image = Image.fromarray(colormaps[colours](np.clip(values[::-1], 0, 1), bytes=True)).convert("RGB")
    image.resize((PIXELS, PIXELS), Image.Resampling.BICUBIC).save(f"{name}.webp", quality=80)
    print(f"{name}.webp")


vortex = Simulation(load_case("orszag-tang"))
vortex.run()
draw("orszag-tang", np.abs(vortex.field("current.z")[0, 0]) / 35, "inferno")

square = ["grid.points=[128, 1, 128]", "grid.lengths=[1, 1, 1]"]
convection = Simulation(load_case("rayleigh-benard", square))
convection.run()
deviation = convection.field("temperature")[0, :, 0]
height = (np.arange(len(deviation)) + 0.5) / len(deviation)
draw("rayleigh-benard", 1 - height[:, None] + deviation, "RdBu_r")
