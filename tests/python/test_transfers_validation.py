"""validation/transfers.py: its judges, which must fail on transfers of the wrong sign, and what it keeps."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

VALIDATION = Path(__file__).resolve().parents[2] / "validation"
SHELLS = np.arange(20)
APART = np.subtract.outer(SHELLS, SHELLS)  # how far the receiver is above the giver


@pytest.fixture(scope="module")
def validation():
    """The modules transfers, transfers_judges and transfers_measures of validation/."""
    sys.path.insert(0, str(VALIDATION))
    try:
        import transfers
        import transfers_judges
        import transfers_measures

        yield transfers, transfers_judges, transfers_measures
    finally:
        sys.path.remove(str(VALIDATION))


@pytest.fixture(scope="module")
def judges(validation):
    return validation[1]


def verdicts(errors):
    """Of what is judged."""
    return [error.verdict for error in errors if error.limit is not None]


def forward(peak=1):
    """A matrix that is antisymmetric and local: largest `peak` shells above the giver."""
    size = np.exp(-np.abs(np.abs(APART) - peak) / 1.5)
    return np.sign(APART) * size


def matrix_of(validation, values, error=0.01):
    edges = 2.0 ** (np.arange(21) / 4)
    return validation[2].Matrix(edges, values, np.full(values.shape, error))


def states_of(arrays, edges=None):
    """A dataset like that of the diagnostic, of [time, receiver, giver] by exchange."""
    edges = 2.0 ** (np.arange(21) / 4) if edges is None else edges
    count = len(next(iter(arrays.values())))
    limits = {"lower": edges[:-1], "upper": edges[1:]}
    data = {
        f"giver_k_{name}": (("time", "giver_k"), np.tile(one, (count, 1))) for name, one in limits.items()
    }
    data["transfer"] = (("time", "quantity", "receiver_k", "giver_k"), np.stack(list(arrays.values()), 1))
    return xr.Dataset(data, {"time": np.arange(float(count)), "quantity": list(arrays)})


def test_a_matrix_is_read_by_receiver_and_giver(validation):
    measures = validation[2]
    values = np.random.default_rng(1).standard_normal((20, 20))
    states = states_of({"u to u": values[None]}).isel(time=0)
    data = states.assign(transfer_error=abs(states["transfer"]))
    found = measures.matrix(data.transpose("giver_k", "receiver_k", ...), "u to u")
    assert np.array_equal(found.mean, values)
    assert list(found.between(2.0, 4.0)) == [4, 5, 6, 7]
    assert found.flux()[3] == pytest.approx(values[4:, :4].sum())
    assert found.reach().sum() == pytest.approx(1)
    assert found.reach()[2] == pytest.approx(np.abs(values[abs(APART) == 2]).sum() / np.abs(values).sum())


def test_a_cascade_is_forward_and_local(validation, judges):
    def judged(values, error=0.01):
        return verdicts(judges.cascade("", matrix_of(validation, values, error), 2.0, 20.0))

    assert judged(forward()) == ["passed"] * 3
    assert judged(-forward()) == ["FAILED"] * 3
    assert judged(forward(peak=3)) == ["passed", "passed", "FAILED"]
    assert judged(forward(), error=0.5) == ["FAILED", "FAILED", "passed"]
    one_wrong = forward()
    one_wrong[9, 8] = -0.1
    assert judged(one_wrong) == ["FAILED", "passed", "FAILED"]


def test_what_goes_to_the_next_shell_is_over_the_flux(validation):
    measures = validation[2]
    found = matrix_of(validation, forward())
    mean, spread, further = measures.to_next(found, 2.0, 4.0)
    each = [found.mean[n + 1, n] / found.flux()[n] for n in (4, 5, 6, 7)]
    assert (mean, spread) == pytest.approx((np.mean(each), np.std(each)))
    assert further[0] == mean
    assert further[2] == pytest.approx(
        np.mean([found.mean[n + 3, n] / found.flux()[n] for n in (4, 5, 6, 7)])
    )


def budget_of(validation, sign=1.0, part=1.0):
    k = np.arange(40) + 0.5
    loss = 0.05 * (k / 10) ** 2
    flux = np.where(k < 2.5, 0.3, sign * part * (1 - loss))
    return validation[2].Budget(k, flux, 0.01 + 0 * k, loss, 0 * k, 1.0)


def test_the_flux_is_the_dissipation(validation, judges):
    def judged(found):
        return verdicts(judges.constant_flux(found, 2.5, 0.01))

    assert judged(budget_of(validation)) == ["passed"] * 3
    assert judged(budget_of(validation, sign=-1)) == ["FAILED"] * 3
    assert judged(budget_of(validation, part=0.9)) == ["FAILED"] * 3
    told = judges.constant_flux(budget_of(validation), 2.5, 0.01)[3:]
    assert [one.value for one in told[:2]] == pytest.approx([9.5 / 2.5, 13.5 / 2.5])
    assert "2.5 ≤ k ≤ 9.5 (0.025 ≤ kη ≤ 0.095)" in told[0].what
    two = budget_of(validation)
    two.flux[5] = 0.5
    assert judges.constant_flux(two, 2.5, 0.01)[3].value == pytest.approx(4.5 / 2.5)
    two.flux[3] = 0.5
    assert two.range_within(0.05, 2.5) == (6.5, 9.5)
    nowhere = judges.constant_flux(budget_of(validation, sign=-1), 2.5, 0.01)[3:]
    assert all(one.value == 0 for one in nowhere)


def test_a_budget_is_read_from_states(validation):
    """The growth below k, Π and the loss of a run whose energy rises by 2 in each of three shells."""
    k = np.arange(3.0)
    states = xr.Dataset(
        {"content": (("time", "content_quantity", "k"), np.array([[[1, 1, 1]], [[5, 5, 5]], [[3, 3, 3]]]))},
        {"time": [2.0, 3.0, 6.0], "content_quantity": ["energy"], "k": k},
    )
    of = {"energy advection": [1.0, 2, 0], "energy viscous": [0.5, 1, 2]}
    means = xr.Dataset(
        {
            "flux": (("quantity", "k"), list(of.values())),
            "flux_error": (("quantity", "k"), [[0.1] * 3, [0.2] * 3]),
            "k_upper": ("k", k + 0.5),
        },
        {"quantity": list(of), "k": k},
    )
    found = validation[2].budget(states, means, dissipation=2.0, power=3.0)
    assert found.flux == pytest.approx([0.5, 1, 0])
    assert found.error == pytest.approx([0.05] * 3)
    assert found.loss == pytest.approx([0.25, 0.5, 1])
    assert found.growth == pytest.approx([0.25, 0.5, 0.75])
    assert found.excess() == pytest.approx([0.5 - 1, 2 - 1.5, 1.75 - 1.5])


def stepping(step):
    """A matrix of linear shells that get most from `step(K)` below."""
    k = np.arange(1.0, 34.0)
    of = np.subtract.outer(k, k)
    at = step(k)[:, None]
    values = np.where(of > 0, np.exp(-(((of - at) / 2) ** 2)), 0)
    return np.arange(34) + 0.5, values - values.T


def test_steps_are_those_of_the_force(validation, judges):
    def told(step, sign=1):
        edges, values = stepping(step)
        found = validation[2].Matrix(edges, sign * values, 0.01 + 0 * values)
        errors = judges.is_stepwise(found, 4.0, 32.6)
        assert {error.verdict for error in errors} == {"–"}  # the published steps are unchecked
        return [error.value for error in errors[:2]]

    assert told(lambda k: 3.3 + 0 * k) == pytest.approx([1 - 3.3 / 4, 0], abs=0.02)
    assert told(lambda k: 3.3 + 0 * k, sign=-1)[0] >= 1
    assert told(lambda k: 1.2 + 0 * k) == pytest.approx([1 - 1.2 / 4, 0], abs=0.06)
    assert told(lambda k: k / 8)[1] > 0.5
    edges, values = stepping(lambda k: 3.3 + 0 * k)
    k, size = validation[2].steps(validation[2].Matrix(edges, values, values), 11.5, 32.6)
    assert list(k) == list(range(12, 33))
    assert size == pytest.approx(3.3 + 0 * k, abs=0.05)


def plane(sign=1.0, rows=40):
    """States in which u goes up by one and two shells, and down by four and more."""
    of = np.select([APART == 0, abs(APART) <= 2, abs(APART) == 3], [0.0, 1.0, 0.05], -0.3) * np.sign(APART)
    noise = 0.05 * np.random.default_rng(2).standard_normal((rows, 20, 20))
    return states_of({"u to u": sign * of + noise - noise.swapaxes(1, 2)})


def test_near_and_distant_shells_in_a_plane(validation, judges):
    def found(states):
        return validation[2].flux_by_distance(states, "u to u", 4.0, 8.0, 9)  # through five edges

    def judged(states):
        return verdicts(judges.goes_near_and_far(*found(states), 2, 4))

    assert judged(plane()) == ["passed"] * 2
    assert judged(plane(-1)) == ["FAILED"] * 2
    growing = np.linspace(0.9, 1.1, 9)[:, None, None]
    assert judged(states_of({"u to u": growing * forward()})) == ["passed", "FAILED"]
    mean, error = found(plane())
    assert mean == pytest.approx([1, 2, 3 * 0.05, *(-0.3 * n for n in range(4, 10))], abs=0.25)
    assert error[0] == pytest.approx(0.05 * np.sqrt(2 / 5 / 40), rel=0.6)
    assert verdicts(judges.goes_near_and_far(mean, 10 * abs(mean), 2, 4)) == ["FAILED"] * 2


def test_the_flux_is_the_sum_over_distances(validation):
    measures = validation[2]
    values = np.random.default_rng(5).standard_normal((5, 20, 20))
    mean, _ = measures.flux_by_distance(states_of({"u to u": values}), "u to u", 3.9, 4.1, 19)
    whole = np.trapezoid(values, axis=0) / 4
    assert mean.sum() == pytest.approx(whole[8:, :8].sum())  # the edge at 4 is the lower one of shell 8
    assert mean.sum() == pytest.approx(matrix_of(validation, whole).flux()[7])


def test_both_cascades_of_a_plane(judges):
    k = np.arange(120) + 0.5
    energy, enstrophy = np.where(k < 48, -0.8, 0.1), np.where(k < 48, -0.1, 0.8)

    def judged(energy, enstrophy):
        return verdicts(judges.dual_cascade(k, energy, enstrophy, 8.0, 48.0, 90.0))

    assert judged(energy, enstrophy) == ["passed"] * 4
    assert judged(-energy, -enstrophy) == ["FAILED", "passed", "FAILED", "passed"]
    assert judged(enstrophy, energy) == ["FAILED"] * 4
    energy[20], enstrophy[70] = -0.4, 0.4
    assert judged(energy, enstrophy) == ["FAILED", "passed", "FAILED", "passed"]


def test_exchanges_of_the_magnetic_field(validation, judges):
    measures = validation[2]
    near = np.where(abs(APART) <= 1, np.sign(APART), 0.0)
    given = np.exp(-APART / 6.0) * (APART >= 0)

    def judged(whole, u=near, b=near, exchanged=given):
        found = dict(zip(("u to u", "b to b", "u to b"), (u, b, exchanged), strict=True))
        matrices = {name: matrix_of(validation, one) for name, one in found.items()}
        return verdicts(judges.is_exchanged(whole, matrices, 2.0, 20.0))

    def measured(sign=1.0, opposite=-1.0):
        noise = 1 + 0.1 * np.random.default_rng(4).standard_normal((30, 1, 1))
        to_b = sign * given * noise
        return measures.exchange(states_of({"u to b": to_b, "b to u": opposite * to_b.swapaxes(1, 2)}))

    total, error, differ = measured()
    assert total == pytest.approx(given.sum(), rel=0.1)
    assert error == pytest.approx(given.sum() * 0.1 / np.sqrt(30), rel=0.5)
    assert differ == 0
    assert judged(measured()) == ["passed"] * 9
    assert judged(measured(-1))[:2] == ["FAILED", "passed"]
    assert judged(measured(opposite=1.0))[:2] == ["passed", "FAILED"]
    assert judged(measured(), u=-near)[2:5] == ["FAILED"] * 3
    assert judged(measured(), b=-near)[5:8] == ["FAILED"] * 3
    assert judged(measured(), exchanged=near)[8] == "FAILED"


def test_of_a_decay_every_state_has_the_sign(validation, judges):
    """A state far beyond the mean is no doubt, one on the other side of zero is."""
    measures = validation[2]
    values = np.array([1.0, 2.0, 9.0])[:, None, None] * forward()
    found = measures.of_each(states_of({"u to u": values}), "u to u")
    assert found.mean == pytest.approx(4 * forward())
    assert found.error == pytest.approx(np.abs(forward()))  # (4 − 1)/3
    assert verdicts(judges.cascade("", found, 2.0, 20.0)) == ["passed"] * 3
    values[1, 9, 8], values[1, 8, 9] = -0.1, 0.1
    one_wrong = measures.of_each(states_of({"u to u": values}), "u to u")
    assert verdicts(judges.cascade("", one_wrong, 2.0, 20.0)) == ["FAILED", "FAILED", "passed"]
    both = {"u to b": values, "b to u": -values.swapaxes(1, 2)}
    total = values.sum((1, 2))
    mean, error, differ = measures.exchange(states_of(both), each=True)
    assert (mean, differ) == (pytest.approx(total.mean()), 0)
    assert error == pytest.approx((abs(total.mean()) - (np.sign(total.mean()) * total).min()) / 3)


def test_large_scales_give_to_the_magnetic_field(validation, judges):
    given = np.exp(-APART / 6.0) * (APART >= 0)

    def judged(values):
        return verdicts(judges.is_given_at_large_scales(matrix_of(validation, values), 2.5, 20.0))

    assert judged(given) == ["passed"]
    assert judged(-given) == ["FAILED"]
    assert judged(np.where(abs(APART) <= 1, given, 0)) == ["FAILED"]


def test_work_is_lost_by_both_fields_or_gained(judges):
    """A field b that loses 0.4 and gains 0.1 of the work, beside u that loses 0.3 and gains 0.2."""
    time = np.linspace(0.0, 2.0, 21)
    columns = {
        "constant-power_work": time,
        "dissipation": 0.3 + 0 * time,
        "energy": 1 + 0.2 * time,
        "ohmic_dissipation": 0.4 + 0 * time,
        "magnetic_energy": 1 + 0.1 * time,
    }
    force = SimpleNamespace(label="constant-power")

    def judged(**changed):
        series = xr.Dataset({k: ("time", v) for k, v in (columns | changed).items()}, {"time": time})
        results = SimpleNamespace(series=series, case=SimpleNamespace(forcing=[force]))
        return verdicts(judges.balance(results, SimpleNamespace(start=0.0, end=2.0)))

    assert judged() == ["passed"]
    assert judged(ohmic_dissipation=0.39 + 0 * time) == ["FAILED"]
    assert judged(magnetic_energy=1 - 0.1 * time) == ["FAILED"]


def test_what_is_kept_is_of_these_cases_and_on_the_page(validation):
    transfers = validation[0]
    from comparison import PAGE, RESULTS

    page = PAGE.read_text(encoding="utf-8")
    for name, one in transfers.VALIDATIONS.items():
        kept = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        case = one.complete_case(Path(name)).to_dict()
        for section in ("grid", "flow", "forcing", "diagnostics", "time"):
            assert kept["run"]["case"].get(section) == json.loads(json.dumps(case.get(section))), (
                name,
                section,
            )
        table = re.search(rf"<!-- table {name} -->\n(.*?)\n<!-- end -->", page, re.DOTALL)[1]
        rows = [row.split(" | ") for row in table.splitlines()[2:]]
        told = [(error["what"].replace("|", "\\|"), error["verdict"]) for error in kept["errors"]]
        assert [(row[0].removeprefix("| "), row[-1].removesuffix(" |")) for row in rows] == told
        assert kept["passed"] == all(verdict != "FAILED" for _, verdict in told)
