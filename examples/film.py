"""Film of forced turbulence: the strength of the vorticity in a plane, from the initial field on.

Set-up   the ready case forced-turbulence: random forces at k ≤ 2.8, kmax·η = 1.5, R_λ ≈ 38.
Scaling  dissipation 1, so that the times are those of the case; t = 6 is after seven turnovers.
Cost     64³ points to t = 6, 60 frames: half a minute.

    python examples/film.py        writes forced-turbulence.webp, which browsers play (run it on one rank)
"""

import numpy as np
from matplotlib import colormaps
from PIL import Image
from whorl import Simulation, load_case

PIXELS, STRONGEST = 360, 40.0
frames = []
simulation = Simulation(load_case("forced-turbulence", ["time.until=6"]))


@simulation.every(0.1)
def draw(flow):
    strength = np.linalg.norm(flow.vorticity()[:, 0], axis=0) / STRONGEST
    colours = colormaps["inferno"](np.clip(strength[::-1], 0, 1), bytes=True)
    frames.append(Image.fromarray(colours).convert("RGB").resize((PIXELS, PIXELS), Image.Resampling.BICUBIC))


simulation.run()
frames[0].save(
    "forced-turbulence.webp", save_all=True, append_images=frames[1:], duration=80, loop=0, quality=60
)
print(f"{len(frames)} frames to t = {simulation.time:.1f}")
