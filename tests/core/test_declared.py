"""What a model is, it says; what is given to it, it takes."""

import pytest
from support import flows, headers
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core

LOOKALIKE = """
#include "measure/superfluid.hpp"
#include "models/ginzburg_landau.hpp"
#include "models/gross_pitaevskii.hpp"
#include "models/navier_stokes.hpp"
using namespace whorl;
struct Rotating { double alpha, beta, rho0; };  // of a beta plane, say
struct Other : Rotating { static constexpr bool is_wave_function = false; };
static_assert(IsWaveFunction<GrossPitaevskii<double>> && IsWaveFunction<GinzburgLandau<float>>);
static_assert(!IsWaveFunction<NavierStokes<double>>);
static_assert(!IsWaveFunction<Rotating> && !IsWaveFunction<Other>);
int main() {}
"""


def test_a_model_with_names_like_a_superfluids_is_none(tmp_path):
    headers.run(tmp_path, LOOKALIKE)


@on_ranks(1, 2)
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_a_parameter_that_no_term_takes_is_refused(world, value):
    twin = Twin((8, 8, 8), viscosity=0.1)
    given = flows.NO_FURTHER_TERMS | {"viscosity": 0.1, "friction": value}
    with pytest.raises(_core.Error, match="model navier-stokes has no parameter friction, but drag, hyper"):
        flows.make(world, twin, parameters=given)


TERMS = [name for name in flows.NO_FURTHER_TERMS if not name.endswith("_power")]


@on_ranks(1)
@pytest.mark.parametrize("name", TERMS)
def test_no_linear_term_is_left_out(world, name):
    """Each by itself, beside viscosity, changes what a step makes of a field."""
    twin = Twin((8, 8, 8), viscosity=0.1)

    def velocity(**further: float):
        powers = {"hyperviscosity_power": 2.0, "hypoviscosity_power": 1.0}
        given = flows.NO_FURTHER_TERMS | powers | {"viscosity": 0.1} | further
        flow = flows.make(world, twin, parameters=given)
        flows.write(flow, flows.noise(twin))
        flow.step(0.01)
        return flows.read(world, flow)

    assert abs(velocity(**{name: 1.0}) - velocity()).max() > 1e-3
    assert (velocity() == velocity(**{name: -0.0})).all()


ALONE = """
#include <cstdio>
#include "models/linear.hpp"
using whorl::LinearTerms;
template <class Change> bool alone(const Change& change) {
    LinearTerms<float> terms;
    terms.losses.nu = 0.1f;
    change(terms);
    return terms.is_viscosity_alone();
}
int main() {
    using Terms = LinearTerms<float>;
    const bool kept[] = {
        alone([](Terms&) {}),
        alone([](Terms& t) { t.losses.nu = 0; t.losses.hyper_power = 4; t.losses.high = 0.1f; }),
        !alone([](Terms& t) { t.losses.hyper = 1e-30f; }), !alone([](Terms& t) { t.losses.hypo = 1e-30f; }),
        !alone([](Terms& t) { t.losses.drag = 1e-30f; }),
        !alone([](Terms& t) { t.background.omega.y = 1e-30f; }),
        !alone([](Terms& t) { t.background.velocity.z = -1e-30f; })};
    for (const bool right : kept) std::printf("%d", right);
}
"""


def test_viscosity_is_alone_where_all_else_is_zero(tmp_path):
    assert headers.run(tmp_path, ALONE) == "1111111"
