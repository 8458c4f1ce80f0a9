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
    assert "expected there" in str(why) and "ln acquisition" in str(why)
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
    with pytest.raises(er.ConfigError, match="no parameter 'z'"):
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
    with pytest.raises(er.ElbowroomError, match="no value yet"):
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
