"""What is said to somebody who slipped."""

import asyncio
import re
import warnings
from pathlib import Path

import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1)}


def square(x):
    return x**2


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: er.minimize(square, SPACE, budget=3, worers=2), "workers"),
        (lambda: er.minimize(square, SPACE, budgett=3), "budget"),
        (lambda: er.minimize(square, SPACE, n_trials=3), "budget"),
        (lambda: er.maximize(square, SPACE, budget=3, n_jobs=2), "workers"),
        (lambda: er.Study(SPACE, buget=3), "budget"),
        (lambda: er.Study(SPACE, direction="maximize"), "goal"),
        (lambda: er.Study(SPACE).run(square, 3, wrokers=2), "workers"),
        (lambda: er.Study(SPACE).run(square, n_trials=3), "n"),
        (lambda: er.Study(SPACE).ask(1, fxed={"x": 1}), "fixed"),
        (lambda: er.Study(SPACE).tell({"x": 1}, 2, nosie=1), "noise"),
        (lambda: er.suggest(SPACE, obsrved=[]), "observed"),
    ],
)
def test_an_unknown_keyword_names_the_one_that_may_have_been_meant(call, meant):
    with pytest.raises(TypeError, match=rf"unexpected keyword argument .*\n  try: did you mean `{meant}`\?"):
        call()


def test_a_keyword_like_no_other_has_no_hint():
    with pytest.raises(TypeError) as refused:
        er.Study(SPACE, quetzalcoatl=3)
    assert str(refused.value).endswith("unexpected keyword argument 'quetzalcoatl'")


def test_a_number_of_workers_is_not_taken_for_the_name_of_one():
    with pytest.raises(er.ConfigError, match="worker is 4, but should be .*\n  try: did you mean `workers`"):
        er.minimize(square, SPACE, budget=3, worker=4)


def test_another_setting_is_named_with_both_its_values(tmp_path):
    store = tmp_path / "lab.elbow"
    er.Study({"x": er.Float(0, 1), "n": er.Int(1, 3)}, store=store, name="plate")
    with pytest.raises(er.StoreError) as refused:
        er.Study({"x": er.Float(0, 2), "n": er.Int(1, 3)}, goal="maximize", seed=3, store=store, name="plate")
    said = str(refused.value)
    assert "the study `plate` in " in said and "was created with a different goal, parameters.x, seed" in said
    assert "\n  `goal` is maximize here, and minimize in the store" in said
    assert "\n  `parameters.x` is a float from 0 to 2 here, and a float from 0 to 1 in the store" in said
    assert "\n  `seed` is 3 here, and 0 in the store" in said
    assert "\n  try: " in said


def test_a_study_that_is_not_there_is_answered_with_those_that_are(tmp_path):
    store = tmp_path / "lab.elbow"
    for name in ("plate", "kiln"):
        er.Study(SPACE, store=store, name=name)
    with pytest.raises(er.StoreError, match=r"no study `palte` in .*\n  try: did you mean `plate`\?"):
        er.Study.open(store, "palte")
    with pytest.raises(er.StoreError, match=r"no study `reactor` in .*\n  try: use one of `kiln`, `plate`"):
        er.Study.open(store, "reactor")


def test_a_store_that_is_not_there_is_not_made_by_opening_a_study_of_it(tmp_path):
    with pytest.raises(er.StoreError, match="there is no store at"):
        er.Study.open(tmp_path / "nowhere.elbow", "plate")
    assert not (tmp_path / "nowhere.elbow").exists()


def test_the_version_is_that_of_the_installed_package():
    from importlib.metadata import metadata, version

    assert er.__version__ == version("elbowroom")
    urls = dict(line.split(", ", 1) for line in metadata("elbowroom").get_all("Project-URL"))
    assert {"Documentation", "Source", "Changelog", "Issues"} <= urls.keys()


def test_a_warning_names_the_line_of_the_program_that_it_is_about() -> None:
    def fails(x: float) -> float:
        raise ZeroDivisionError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = er.minimize(fails, {"x": er.Float(0, 1)}, budget=6)
        study.run(fails, 1)
        study = er.Study({"x": er.Float(0, 1), "y": er.Float(0, 1)}, constraints="x + y <= 1")
        study.add({"x": 1.0, "y": 1.0}, 0.0)
        assert study.best is not None
    assert len(caught) >= 4
    assert {warning.filename for warning in caught} == {__file__}, [str(warning) for warning in caught]


def test_a_function_that_cannot_take_a_point_is_refused_before_any_trial() -> None:
    study = er.Study({"x": er.Float(0, 1), "n": er.Int(1, 3)}, budget=4)
    with pytest.raises(er.ConfigError, match="does not take `n`, which the space has\n  try: add it"):
        study.run(lambda x: x)
    with pytest.raises(er.ConfigError, match="needs `z`, which the space does not have\n  try: add it to the space"):
        study.run(lambda x, n, z: x)

    async def measured(x: float) -> float:
        return x

    with pytest.raises(er.ConfigError, match="does not take `n`"):
        asyncio.run(study.run_async(measured))
    assert not study.trials
    study.run(lambda x, z=0, **others: x + others["n"] + z, progress=False)
    assert study.counts["complete"] == 4


def test_what_is_no_parameter_is_answered_with_one() -> None:
    for given, meant in (((0, 1), r"er.Float\(0, 1\) or er.Int\(0, 1\)"), (["a", "b", "c"], r"er.Ordered\(\['a', 'b', 'c'\]\)")):
        with pytest.raises(er.SpaceError, match=f"parameter `x` is .*\n  try: use {meant}"):
            er.Study({"x": given})  # type: ignore[dict-item]


def test_no_trials_are_said_and_not_an_empty_table() -> None:
    assert str(er.Study({"x": er.Float(0, 1)}).trials) == "no trials yet"


def test_every_hint_says_what_to_do() -> None:
    """STYLE.md: the second part of an error is a command."""
    verbs = "add await call condition did end give install leave name open pass plot raise remove repeat report return run set swap use write"
    for path in Path(er.__file__).parent.glob("*.py"):
        for hint in re.findall(r"  try: ([a-z'(]\S*|[A-Z]\S*)", path.read_text(encoding="utf-8")):
            assert hint.rstrip(",") in verbs.split(), (path.name, hint)
