"""Freely decaying isotropic turbulence: E(k) at several times.

Set-up   a random solenoidal field with E(k) ∝ k⁴ exp(−2 (k/k0)²), k0 = 3, decays freely. Within about one
         turnover time energy reaches the small scales, the spectrum fills and the dissipation peaks; then E
         decays as a power of time.
Scaling  spectra in Kolmogorov units, E(k)/(ε ν⁵)^¼ over kη: at small scales the later ones fall on one curve.
Cost     64³ points, about 200 steps: seconds. A larger Rλ needs more points.

    python examples/decaying_turbulence.py        writes decaying-turbulence.png
"""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from whorl import Case, Simulation

VISCOSITY = 0.006
case = Case(
    grid={"points": 64, "dealias": "phase-shift"},
    flow={"viscosity": VISCOSITY},
    time={"scheme": "rk2", "courant": 0.6, "until": 4.0},
    initial={"name": "random", "k0": 3, "energy": 0.5, "seed": 1},
    output={"series_every": "5 steps", "spectra_every": 1.0},
)
simulation = Simulation(case)
simulation.run()

figure = Figure(figsize=(11, 4.5), layout="constrained")
FigureCanvasAgg(figure)
decay, spectrum = figure.subplots(1, 2)
series, spectra = simulation.series, simulation.spectra.isel(k=slice(1, None))
decay.plot(series["time"], series["energy"], label="E")
decay.plot(series["time"], series["dissipation"], label="ε")
decay.set(xlabel="t", ylim=(0, None))
decay.legend(frameon=False)

for state in (spectra.isel(time=i) for i in range(1, spectra.sizes["time"])):
    dissipation = float(2 * VISCOSITY * (state["k"] ** 2 * state["energy"]).sum())
    eta = (VISCOSITY**3 / dissipation) ** 0.25
    scaled = state["energy"] / (dissipation * VISCOSITY**5) ** 0.25
    spectrum.loglog(state["k"] * eta, scaled, label=f"t = {float(state['time']):.2f}")
inertial = np.array([0.08, 0.4])
spectrum.loglog(inertial, 1.6 * inertial ** (-5 / 3), "k--", label="1.6 (kη)$^{-5/3}$")
spectrum.set(xlabel="kη", ylabel="E(k) / (ε ν⁵)$^{1/4}$", ylim=(1e-3, None))
spectrum.legend(frameon=False)

if simulation.comm.rank == 0:
    rows = zip(series["time"].values, series["R_lambda"].values, series["kmax_eta"].values, strict=True)
    for time, reynolds, resolution in list(rows)[::8]:
        print(f"t = {time:.2f}   Rλ = {reynolds:.1f}   kmax·η = {resolution:.2f}")
    figure.savefig("decaying-turbulence.png", dpi=150)
