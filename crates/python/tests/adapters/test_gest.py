"""The generator standard: each promise of ``gest_api.Generator``."""

import math

import pytest

gest_api = pytest.importorskip("gest_api")

import numpy as np  # noqa: E402
from gest_api.vocs import VOCS  # noqa: E402

from elbowroom.gest import Generator  # noqa: E402

TWO = VOCS(
    variables={"x": [0.0, 1.0], "n": {3, 1, 2}, "kind": {"b", "a"}},
    objectives={"f": "MINIMIZE", "g": "MAXIMIZE"},
    constraints={"c": ["LESS_THAN", 5.0], "d": ["BOUNDS", 0.0, 1.0], "f": ["LESS_THAN", 9.0]},
    constants={"alpha": 0.55},
    observables={"o"},
)


def test_it_is_a_generator_whose_points_have_everything_that_is_put_in():
    generator = Generator(TWO, seed=1)
    assert isinstance(generator, gest_api.Generator) and Generator.returns_id
    points = generator.suggest(4)
    assert [point["_id"] for point in points] == [0, 1, 2, 3]
    for point in points:
        assert set(point) == {"x", "n", "kind", "alpha", "_id"}
        assert 0 <= point["x"] <= 1 and point["n"] in (1, 2, 3) and point["kind"] in ("a", "b") and point["alpha"] == 0.55


def test_results_come_back_by_their_ids_and_those_from_elsewhere_are_added():
    generator = Generator(VOCS(variables={"x": [0, 1]}, objectives={"f": "MAXIMIZE"}), seed=1)
    points = generator.suggest(3)
    generator.ingest([{**points[2], "f": np.float64(2.0)}, {"x": 0.25, "f": 1.0}])
    assert generator.study.trials[2].value == 2.0 and generator.study.trials[3].params == {"x": 0.25}
    assert generator.study.best.number == 2 and generator.study.counts["running"] == 2
    with pytest.raises(ValueError, match="99"):
        generator.ingest([{"x": 0.5, "f": 1.0, "_id": 99}])
    with pytest.raises(ValueError, match="a result has no x"):
        generator.ingest([{"f": 1.0}])
    generator.finalize()
    assert generator.study.counts["queued"] == 2


def test_constraints_are_limits_and_observables_are_kept():
    generator = Generator(TWO, seed=1)
    good, bad = generator.suggest(2)
    generator.ingest([{**good, "f": 1, "g": 2, "c": 4, "d": 0.5, "o": 7}, {**bad, "f": 0, "g": 3, "c": 6, "d": 0.5, "o": 7}])
    first, second = generator.study.trials
    assert first.feasible and second.feasible is False and second.broken_limits[0].outcome == "c"
    assert first.results["o"] == 7 and [trial.number for trial in generator.study.front] == [0]


def test_what_is_not_finite_is_a_failure():
    generator = Generator(VOCS(variables={"x": [0, 1]}, objectives={"f": "MINIMIZE"}))
    [point] = generator.suggest(1)
    generator.ingest([{**point, "f": math.nan}, {"x": 0.75, "f": math.inf}])
    assert [trial.state for trial in generator.study.trials] == ["failed", "failed"]
    assert generator.study.trials[0].reason == "no finite f"


def test_it_gives_as_many_points_as_asked_for_or_refuses():
    generator = Generator(VOCS(variables={"n": {1, 2, 3}}, objectives={"f": "MINIMIZE"}), batch_size=2)
    assert len(generator.suggest()) == 2
    with pytest.raises(ValueError, match="there are 1 points instead of 5"):
        generator.suggest(5)
    assert len(generator.suggest(1)) == 1


@pytest.mark.parametrize(
    ("vocs", "words"),
    [
        (VOCS(variables={"x": [0, 1]}), "no objective"),
        (VOCS(variables={"x": [0, 1]}, objectives={"f": "EXPLORE"}), "`f` is ExploreObjective"),
        (VOCS(variables={"x": "CONTEXTUAL"}, objectives={"f": "MINIMIZE"}), "`x` is ContextualVariable"),
    ],
)
def test_what_it_cannot_do_it_refuses(vocs, words):
    with pytest.raises(ValueError, match=words):
        Generator(vocs)


def test_libensemble_searches_with_it(tmp_path, monkeypatch):
    pytest.importorskip("libensemble")
    from libensemble import Ensemble
    from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
    from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["test"])
    vocs = VOCS(variables={"x": [-1.0, 1.0], "y": [-1.0, 1.0]}, objectives={"f": "MINIMIZE"})
    generator = Generator(vocs, seed=1)
    workflow = Ensemble(
        libE_specs=LibeSpecs(comms="threads", nworkers=2, gen_on_manager=True, disable_log_files=True),
        sim_specs=SimSpecs(simulator=lambda point: {"f": point["x"] ** 2 + point["y"] ** 2}, vocs=vocs),
        gen_specs=GenSpecs(generator=generator, batch_size=2, initial_batch_size=2, vocs=vocs),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens),
        exit_criteria=ExitCriteria(sim_max=16),
    )
    found, _, _ = workflow.run()
    assert (found["sim_ended"]).sum() >= 16
    assert generator.study.counts["complete"] >= 14 and generator.study.best.value < 0.1
