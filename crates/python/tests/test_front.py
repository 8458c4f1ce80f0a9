"""The front of several objectives: what was measured, what the models expect, and pictures."""

import pickle

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1), "<y>": er.Float(0, 1)}


def objectives(x, y):
    """Two bowls: a point between their bottoms is on the front, and no other."""
    return {"left": x**2 + (y - 0.5) ** 2, "right": -((x - 1) ** 2) - (y - 0.5) ** 2, "sum": x + y}


@pytest.fixture(name="study", scope="module")
def _study():
    outcomes = {"left": er.Minimize(worst=2), "right": er.Maximize(worst=-2), "sum": er.AtMost(1.4), "note": er.Watched()}
    study = er.Study(SPACE, outcomes=outcomes, seed=1, name="<bowls>")
    study.run(lambda **point: objectives(point["x"], point["<y>"]), 24, workers=2, synchronous=True)
    return study


def beats(a, b):
    return a["left"] <= b["left"] and a["right"] >= b["right"] and (a["left"], a["right"]) != (b["left"], b["right"])


def test_the_front_is_what_no_feasible_trial_beats(study):
    # By the definition, one trial against all.
    feasible = [trial for trial in study.trials if trial.results["sum"] <= 1.4]
    assert {trial.feasible for trial in feasible} == {True}
    unbeaten = [a.number for a in feasible if not any(beats(b.results, a.results) for b in feasible)]
    assert [trial.number for trial in study.front] == unbeaten and len(unbeaten) > 4
    assert all(isinstance(trial, er.Trial) for trial in study.front)


def test_the_hypervolume_is_the_area_up_to_the_reference_point(study):
    front = study.front
    assert front.reference == {"left": 2.0, "right": -2.0}
    assert front.objectives[0] == er.FrontObjective("left", "minimize", 2.0, False)
    # The area of a staircase, as a sum of its steps.
    steps = sorted((2 - trial.results["left"], trial.results["right"] + 2) for trial in front)
    area, before = 0.0, 0.0
    for wide, high in steps:
        area += (wide - before) * high
        before = wide
    assert front.hypervolume == pytest.approx(area, rel=1e-12)
    volumes = [step.hypervolume for step in front.history]
    assert volumes == sorted(volumes) and volumes[-1] == front.hypervolume
    assert [step.trial for step in front.history] == [trial.number for trial in study.trials if trial.feasible]


def test_the_search_finds_the_segment_between_the_bottoms(study):
    # Between the bottoms, at x = t and y = 1/2, left is u = t² and right −(1 − √u)². Up to the reference point (2, −2) the
    # area of all t is ∫ 2 − (1 − √u)² du + 2 = 11/6 + 2; the limit of the sum keeps t up to 0.9, the rest is lost at most.
    u = 0.9**2
    kept = (u + 4 / 3 * u**1.5 - u**2 / 2) + (2 - u) * (2 - (1 - 0.9) ** 2)
    assert 0.95 * kept < study.front.hypervolume < 23 / 6


def test_a_front_is_a_frame_with_the_objectives_first(study):
    columns = ["number", "results_left", "results_right", "params_x", "params_<y>", "results_sum"]
    for frame in (study.front.to_pandas(), study.front.to_polars()):
        assert list(frame.columns) == columns and frame.shape[0] == len(study.front)
    assert pickle.loads(pickle.dumps(study.front)) == study.front
    again = pickle.loads(pickle.dumps(study.front))
    assert (again.objectives, again.history, again.hypervolume) == tuple(
        getattr(study.front, name) for name in ("objectives", "history", "hypervolume")
    )
    assert repr(study.front).startswith("<Front of left, right: trials [")


def test_what_is_recommended_is_the_front_of_the_models(study):
    found = study.recommended
    assert isinstance(found, er.RecommendedFront) and found
    # Without noise the models pass through the results, as far as their own errors go.
    for one in found:
        results = study.trials[one.trial].results
        assert one.params == study.trials[one.trial].params and 0.8 <= one.chance_within_limits <= 1
        for name in ("left", "right"):
            assert one.means[name] == pytest.approx(results[name], abs=0.02) and one.sds[name] >= 0
    assert not any(beats(a.means, b.means) for a in found for b in found)
    columns = ["trial", "mean_left", "sd_left", "mean_right", "sd_right", "chance_within_limits", "params_x", "params_<y>"]
    assert list(found.to_pandas().columns) == list(found.to_polars().columns) == columns
    assert found[0].to_dict()["means"] == list(found[0].means.values()) and "params" not in found[0].to_dict()


def test_before_the_first_result_the_front_is_empty():
    study = er.Study(SPACE, outcomes={"left": er.Minimize(), "right": er.Maximize()})
    assert study.front == [] and study.recommended == []
    assert study.front.hypervolume is None and study.front.reference is None
    assert study.front.to_pandas().shape[0] == 0 and study.recommended.to_pandas().shape[0] == 0
    with pytest.raises(er.ElbowroomError, match="no trial has both `left` and `right` yet"):
        study.plot_front()


def test_with_one_objective_the_front_is_the_best():
    study = er.Study(SPACE)
    for x in (0.1, 0.5, 0.3):
        study.tell({"x": x, "<y>": 0}, -x)
    assert [trial.number for trial in study.front] == [study.best.number] == [1]


def test_a_notebook_shows_the_front_escaped(study):
    page = study._repr_html_()
    assert "minimize left, maximize right" in page and "hypervolume" in page and "left=2, right=-2" in page
    assert page.count("<tr>") >= len(study.front) and "params_&lt;y&gt;" in page and "<y>" not in page
    assert "trial" in study.recommended._repr_html_()


def test_the_picture_of_a_front_has_every_trial_once_and_the_border(study):
    pytest.importorskip("matplotlib").use("Agg")
    ax = study.plot_front()
    drawn = {group.get_label(): len(group.get_offsets()) for group in ax.collections}
    n_outside = sum(trial.feasible is False for trial in study.trials)
    assert drawn["front"] == len(study.front) and drawn["reference"] == 1
    assert drawn.get("breaks a limit", 0) == n_outside > 0
    assert drawn["front"] + drawn.get("beaten", 0) + n_outside == len(study.trials)
    assert ax.get_xlabel() == "left (minimize)" and ax.get_ylabel() == "right (maximize)"
    across, up = ax.lines[0].get_data()
    best = min(study.front, key=lambda trial: trial.results["left"]).results
    assert (across[0], up[0], across[-1]) == (best["left"], -2.0, 2.0)


def test_any_two_results_can_be_drawn_with_their_limits(study):
    pytest.importorskip("matplotlib").use("Agg")
    ax = study.plot_front("sum", "left")
    assert ax.get_xlabel() == "sum" and not ax.lines and len(ax.patches) == 1
    assert ax.patches[0].get_extents().transformed(ax.transData.inverted()).x0 == pytest.approx(1.4)
    assert study.plot_front(y="left").get_xlabel() == "right (maximize)"
    with pytest.raises(er.ConfigError, match="there is no result 'sam'\n  try: use one of left, right, sum, note"):
        study.plot_front("sam")
    with pytest.raises(er.ConfigError, match="needs two results"):
        er.Study(SPACE).plot_front()


def test_the_history_of_several_objectives_is_that_of_the_hypervolume(study):
    pytest.importorskip("matplotlib").use("Agg")
    ax = study.plot_history()
    assert list(ax.lines[0].get_ydata()) == [step.hypervolume for step in study.front.history]
    assert "hypervolume" in ax.get_ylabel()
    assert study.plot_history(result="sum").get_ylabel() == "sum"
    assert study.plot_slices()[0].get_ylabel() == "left"
