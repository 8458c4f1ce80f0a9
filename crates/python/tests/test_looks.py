"""What a study shows: tables, reasons, pictures."""

import numpy as np
import pytest

import elbowroom as er

SPACE = {"x": er.Float(0.01, 1, log=True), "n": er.Int(1, 5), "kind": er.Categorical(["a", "<b>", None]), "c": er.Fixed(3)}


@pytest.fixture(name="study", scope="module")
def _study():
    study = er.Study(SPACE, seed=1, budget=20, name="<plate>")
    study.run(lambda x, n, kind, c: (np.log10(x) + 1) ** 2 + n + (kind is None), 14)
    study.ask(2)
    return study


def test_frames_have_a_row_for_each_trial(study):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    for frame in (study.trials.to_pandas(), study.trials.to_polars()):
        assert list(frame.columns)[:5] == ["number", "state", "value", "noise", "params_x"]
        assert frame.shape[0] == 16
    assert isinstance(study.trials.to_pandas(), pandas.DataFrame)
    assert isinstance(study.trials.to_polars(), polars.DataFrame)
    assert study.trials.to_pandas()["value"].min() == study.best.value


def test_html_is_escaped_and_complete(study):
    page = study._repr_html_()
    assert "&lt;plate&gt;" in page and "<plate>" not in page
    assert "14 complete" in page and "minimize" in page
    assert study.trials._repr_html_().count("<tr>") == 17
    assert "<b>" not in study.trials._repr_html_()


def test_why_tells_what_the_model_expected(study):
    chosen = next(trial for trial in study.trials if trial.source == "model")
    why = study.why(chosen)
    assert why.belief.n_observed == chosen.number and why.source == "model"
    assert why.belief.best == min(trial.value for trial in study.trials[: chosen.number])
    assert [one.distance for one in why.belief.nearest] == sorted(one.distance for one in why.belief.nearest)
    assert "predicted: " in str(why) and "ln acquisition" in str(why)
    assert abs(sum(term.value for term in why.belief.score.terms) - why.belief.score.total) < 1e-9
    assert why.belief.strategy == "local_penalization" and why.belief.chance is None and why.belief.subset is None
    # The last of two that were asked for together saw the first.
    last = study.why(15)
    assert [one.trial for one in last.belief.pending] == [14]
    assert last.belief.sd_with_pending <= last.belief.sd
    # It refines: it is ranked by a confidence bound, which knows of pending points by its deviation.
    assert [term.name for term in last.belief.score.terms] == ["mean", "weighted deviation"]
    assert study.why(0).belief is None


def test_the_model_is_near_what_it_has_seen(study):
    mean, sd = study.predict([trial.params for trial in study.trials[:14]])
    values = np.array([trial.value for trial in study.trials[:14]])
    assert mean.shape == sd.shape == (14,)
    assert (abs(mean - values) < 4 * sd + 0.1).all()


def test_pictures_show_what_is_there(study):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = study.plot_history()
    assert len(ax.collections[0].get_offsets()) == 14
    axes = study.plot_slices()
    assert [ax.get_xlabel() for ax in axes] == ["x", "n", "kind"]
    ax = study.plot_pending("x", "n")
    assert len(ax.collections[-1].get_offsets()) == 2
    study.plot_pending("kind", "x").figure.canvas.draw()
    with pytest.raises(er.ConfigError, match="no searched parameter 'z'"):
        study.plot_slices(["z"])


def test_slices_keep_their_labels(study):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for names in (["x"], ["x", "n", "kind"]):
        axes = study.plot_slices(names)
        figure = axes[0].figure
        figure.canvas.draw()
        for ax in axes:
            low, high = ax.get_xlim()
            ticks = [tick.label1 for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            labels = [ax.xaxis.label, *ticks] + ([ax.yaxis.label] if ax is axes[0] else [])
            for label in (label for label in labels if label.get_text()):
                box = label.get_window_extent()
                inside = figure.bbox.x0 <= box.x0 and figure.bbox.y0 <= box.y0 and box.x1 <= figure.bbox.x1
                assert inside, f"{label.get_text()!r} is cut off: {box} of {figure.bbox}"
    assert [label.get_text() for label in axes[2].get_xticklabels()] == ["a", "<b>", "None"]


def test_categories_are_not_joined_by_lines(study):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    number, kind = study.plot_slices(["n", "kind"])
    # The model's line and its band; the last line says where the best point is.
    assert [len(line.get_xdata()) for line in number.lines] == [5, 2]
    joined = [line for line in kind.lines if line.get_linestyle() not in ("None", "") and len(set(line.get_xdata())) > 1]
    assert [line for line in joined if len(line.get_xdata()) == 3] == []
    assert not any(isinstance(one, matplotlib.collections.PolyCollection) for one in kind.collections)


def test_pictures_need_a_result():
    pytest.importorskip("matplotlib")
    with pytest.raises(er.ElbowroomError, match="no values yet"):
        er.Study(SPACE).plot_slices()


def test_values_over_decades_are_drawn_on_a_log_scale():
    pytest.importorskip("matplotlib").use("Agg")
    study = er.Study({"x": er.Float(0, 1), "y": er.Float(0, 1)}, seed=1)
    study.run(lambda x, y: 1e-3 + 10 ** (4 * x) * (0.1 + y), 12)
    assert study.plot_history().get_yscale() == "log"
    expected, _ = study.predict([{**study.recommended.params, "x": x} for x in np.linspace(0, 1, 101)])
    axes = study.plot_slices(["x"])
    # Where the model expects less than nothing, a log scale has no room for it.
    assert axes[0].get_yscale() == ("log" if expected.min() > 0 else "linear")
    axes[0].figure.canvas.draw()
    study.plot_pending("x", "y").figure.canvas.draw()
    flat = er.Study({"x": er.Float(0, 1)}, seed=1)
    flat.run(lambda x: 1 + x, 6)
    assert flat.plot_history().get_yscale() == "linear"


def test_trials_print_as_a_table_of_text():
    study = er.Study({"x": er.Float(0, 1), "kind": er.Categorical(["a", "b"])})
    study.tell({"x": 0.25, "kind": "a"}, 2.0)
    study.fail(study.ask()[0], "broke\x1b[31m\nred " + "and long " * 9)
    head, first, second = str(study.trials).splitlines()
    assert head.split() == ["number", "state", "value", "x", "kind", "source", "attempts", "reason"]
    assert first.split() == ["0", "complete", "2", "0.25", "a", "given", "1"]
    assert "\x1b" not in second and second.endswith("…")
    assert head.index("value") + 4 == first.index("2  "), "numbers end where their heads do"
    assert repr(study.trials).startswith("[Trial(")
    assert str(study.trials[0]) == "trial 0: complete, value 2, x=0.25, kind=a"


def test_a_batch_prints_as_a_table_or_says_why_it_is_empty():
    study = er.Study({"x": er.Float(0, 1)}, budget=2)
    assert [line.split()[:2] for line in str(study.ask(2)).splitlines()] == [["number", "state"], ["0", "running"], ["1", "running"]]
    assert str(study.ask(1)) == "no trials: the budget of 2 trials is used up"


def test_a_point_that_is_refused_is_named_without_an_event(tmp_path):
    for store in (None, tmp_path / "a.elbow"):
        study = er.Study({"x": er.Float(0, 1)}, store=store)
        for put in (lambda point: study.tell(point, 1.0), study.start):
            with pytest.raises(er.SpaceError, match="^parameter `x`: 2 is not between 0 and 1"):
                put({"x": 2})


def test_a_long_table_shows_its_beginning_and_its_end():
    study = er.Study({"x": er.Float(0, 1)})
    for i in range(100):
        study.tell({"x": i / 100}, float(i))
    lines = str(study.trials).splitlines()
    assert len(lines) == 62 and lines[31].split()[0] == "…" and lines[-1].split()[0] == "99"


def test_results_by_name_are_columns_unless_names_are_taken_twice():
    study = er.Study({"x": er.Float(0, 1)}, outcomes={"loss": er.Minimize(), "bytes": er.AtMost(3)})
    study.tell({"x": 0.5}, {"loss": 0.1, "bytes": 2})
    assert str(study.trials).split("\n")[0].split()[-2:] == ["bytes", "feasible"]
    same = er.Study({"state": er.Float(0, 1)})
    same.tell({"state": 0.5}, 2)
    assert {"state", "params_state"} <= set(str(same.trials).split("\n")[0].split())


def test_the_most_important_parameter_has_the_longest_bar():
    pytest.importorskip("matplotlib").use("Agg")
    study = er.Study({"idle": er.Float(0, 1), "x": er.Float(0, 1)}, seed=1)
    for trial in study.ask(16):
        study.tell(trial, np.sin(5 * trial["x"]))
    ax = study.plot_importance()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["idle", "x"]
    idle, x = (bar.get_width() for bar in ax.patches)
    # Everything comes from x: its share is 1, and that of the other 0. Estimated from 213 pairs of points, whose error is
    # about 1/√213 = 0.07; this is three times that.
    assert abs(x - 1) < 0.2 and idle < 0.2
    assert [one.name for one in study.importance()] == ["x", "idle"]


def test_each_trial_is_a_line_of_parallel_coordinates_and_the_best_one_is_on_top(study):
    pytest.importorskip("matplotlib").use("Agg")
    ax = study.plot_parallel()
    lines = [line for line in ax.lines if len(line.get_xdata()) == 4]
    assert len(lines) == 14
    assert [label.get_text() for label in ax.get_xticklabels()] == ["x", "n", "kind", "value"]
    best = study.best
    assert lines[-1].get_ydata()[0] == pytest.approx((np.log10(best["x"]) + 2) / 2)
    assert lines[-1].get_ydata()[1] == pytest.approx((best["n"] - 1) / 4)
    assert lines[-1].get_ydata()[-1] == 0.0
    with pytest.raises(er.ConfigError, match="there is no parameter 'y'"):
        study.plot_parallel(["y"])


def test_trials_without_a_parameter_stand_below_its_axis():
    space = {"kind": er.Categorical(["adam", "sgd"]), "momentum": er.Float(0, 1, when="kind == 'sgd'")}
    study = er.minimize(lambda kind, momentum=0.5: momentum, space, budget=8, seed=1)
    ax = study.plot_parallel()
    lowest = {line.get_ydata()[1] for line in ax.lines if len(line.get_ydata()) == 3}
    assert min(lowest) < 0 and max(lowest) >= 0
    assert "absent" in {text.get_text() for text in ax.texts}


def test_a_timeline_has_a_bar_for_each_trial_that_was_handed_out(study):
    pytest.importorskip("matplotlib").use("Agg")
    ax = study.plot_timeline()
    assert len(ax.patches) == 16
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"complete", "running"}
    with pytest.raises(er.ElbowroomError, match="no worker has joined this study yet"):
        er.Study({"x": er.Float(0, 1)}).plot_timeline()


def test_predictions_and_pictures_are_of_the_outcome_that_is_named():
    pytest.importorskip("matplotlib").use("Agg")
    outcomes = {"yield": er.Maximize(), "cost": er.Minimize(), "purity": er.AtLeast(95), "minutes": er.Watched()}
    study = er.Study({"x": er.Float(0, 1), "y": er.Float(0, 1)}, outcomes=outcomes, seed=1)
    for trial in study.ask(12):
        x, y = trial["x"], trial["y"]
        study.tell(trial, {"yield": x, "cost": 10 - 4 * y, "purity": 90 + 9 * x, "minutes": 3})
    at = {"x": 0.5, "y": 0.25}
    # The functions are planes, so the models should have them but for little.
    for name, value in [(None, 0.5), ("yield", 0.5), ("cost", 9.0), ("purity", 94.5)]:
        mean, sd = study.predict(at, outcome=name)
        assert mean[0] == pytest.approx(value, abs=0.2) and sd[0] >= 0
    assert study.plot_slices(outcome="cost")[0].get_ylabel() == "cost"
    assert study.plot_pending(outcome="purity").figure.axes[-1].get_ylabel() == "expected purity"
    assert study.importance("cost")[0].name == "y" and study.importance("purity")[0].name == "x"
    assert study.plot_importance(outcome="cost").get_xlabel().endswith("of cost")
    assert study.plot_parallel(outcome="cost").get_xticklabels()[-1].get_text() == "cost"
    with pytest.raises(er.DataError, match="no model is fitted to `minutes`\n  try: use one of yield, cost, purity"):
        study.predict(at, outcome="minutes")


def test_slices_of_another_result_show_what_was_measured_of_it():
    outcomes = {"gain": er.Maximize(), "cost": er.AtMost(200)}
    study = er.Study({"x": er.Float(0, 1)}, outcomes=outcomes, seed=1)
    for trial in study.ask(6):
        study.tell(trial, {"gain": trial["x"], "cost": 100 + trial["x"]})
    ax = study.plot_slices(outcome="cost")[0]
    assert {float(y) for _, y in ax.collections[-1].get_offsets()} == {100 + trial.params["x"] for trial in study.trials}
    assert all(float(at).is_integer() for at in study.plot_history(result="cost").get_xticks())
