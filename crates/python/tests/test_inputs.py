"""What people give: taken where it is clear, refused with the name of what is wrong."""

import inspect
import math
import re
import warnings

import numpy as np
import pytest

import elbowroom as er

SPACE = {"x": er.Float(0, 1)}


@pytest.mark.parametrize("value", ["0.5", None, [1.0, 2.0], np.array([1.0, 2.0]), 1j, np.complex128(1)])
def test_what_is_no_number_is_refused_before_anything_is_stored(value):
    study = er.Study(SPACE)
    [trial] = study.ask()
    for told in ({"x": 0.25}, trial, trial.number):
        with pytest.raises(er.DataError, match="the value is .*, which is not a number"):
            study.tell(told, value)
    with pytest.raises(er.DataError):
        study.add({"x": 0.25}, value)
    assert [trial.state for trial in study.trials] == ["running"]


@pytest.mark.parametrize("noise", ["0.5", -1.0, math.nan, math.inf])
def test_a_noise_that_is_no_variance_is_refused_before_anything_is_stored(noise):
    study = er.Study(SPACE)
    with pytest.raises(er.DataError, match="the noise is"):
        study.tell({"x": 0.25}, 1.0, noise=noise)
    assert study.trials == []


@pytest.mark.parametrize("half", [np.array([0.5]), np.array([[0.5]]), np.array(0.5), np.float32(0.5)])
def test_an_array_of_one_number_is_that_number(half):
    study = er.Study(SPACE)
    assert study.tell({"x": 0.25}, half, noise=half) == "recorded"
    [trial] = study.ask()
    study.tell(trial, half)
    study.add({"x": 0.75}, half)
    study.run(lambda x: half, 1)
    study.run(lambda x: (half, half), 1)
    assert [trial.value for trial in study.trials] == [0.5] * 5
    assert [trial.noise for trial in study.trials] == [0.5, None, None, None, 0.5]
    assert len(er.suggest(SPACE, [({"x": 0.25}, half, half)])) == 1


@pytest.mark.parametrize("noise", [-1.0, math.nan, "much"])
def test_a_result_with_a_bad_noise_fails_its_trial_and_the_run_goes_on(noise):
    study = er.Study(SPACE, budget=4, seed=1)
    first = []

    def f(x):
        first.append(x)
        return (x, noise) if len(first) == 1 else (x, 0.1)

    study.run(f)
    assert [trial.state for trial in study.trials] == ["failed", "complete", "complete", "complete"]
    assert "the noise is" in study.trials[0].reason


def test_numbers_of_numpy_are_settings():
    study = er.Study(
        SPACE,
        seed=np.int64(3),
        budget=np.uint8(9),
        initial=np.int32(2),
        repeats=np.bool_(False),
        noise=np.float32(0.25),
        strategy={"name": "local_penalization", "acquisition": {"name": "ucb", "kappa": np.float32(1.5)}},
        model={"max_observations": np.int64(50)},
    )
    plain = er.Study(
        SPACE,
        seed=3,
        budget=9,
        initial=2,
        repeats=False,
        noise=0.25,
        strategy={"name": "local_penalization", "acquisition": {"name": "ucb", "kappa": 1.5}},
        model={"max_observations": 50},
    )
    assert study.settings == plain.settings
    assert len(study.ask(np.int64(2))) == 2
    bounds = er.Study({"n": er.Int(np.int64(1), np.int8(3)), "x": er.Float(np.float32(0.5), np.int64(2))}).ask(3)
    assert {trial["n"] for trial in bounds} <= {1, 2, 3}


def test_a_single_text_is_one_constraint():
    study = er.Study(SPACE, constraints="x <= 0.25", seed=1)
    assert all(trial["x"] <= 0.25 for trial in study.ask(8))
    assert all(point["x"] <= 0.25 for point in er.suggest(SPACE, n=8, constraints="x <= 0.25"))
    with pytest.raises(er.SpaceError, match="a constraint is 3"):
        er.Study(SPACE, constraints=[3])


def test_a_truth_of_numpy_stops_a_run_and_another_answer_does_not():
    assert len(er.Study(SPACE).run(lambda x: x, callbacks=[lambda study, trial: np.bool_(True)]).trials) == 1
    assert len(er.Study(SPACE, budget=3).run(lambda x: x, callbacks=[lambda study, trial: trial]).trials) == 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"budget": -1}, "budget is -1\n  try: use an integer of at least 1$"),
        ({"budget": 0}, "budget is 0\n  try: use an integer of at least 1$"),
        ({"budget": 2**63}, f"budget is {2**63}\n  try: use an integer of at least 1 and at most {2**63 - 1}$"),
        ({"budget": 2.5}, "budget is 2.5\n"),
        ({"seed": -1}, "seed is -1\n"),
        ({"seed": "one"}, "seed is 'one'\n"),
        ({"initial": True}, "initial is True\n"),
        ({"goal": "max"}, r"there is no goal named 'max'\n  try: did you mean 'maximize'\?"),
        ({"goal": "minimise"}, r"there is no goal named 'minimise'\n  try: did you mean 'minimize'\?"),
        ({"goal": "m"}, "there is no goal named 'm'\n  try: use one of 'minimize', 'maximize'"),
        ({"design": "grid"}, "there is no design named 'grid'\n  try: use one of 'sobol'"),
        ({"penalizer": "firm"}, "there is no penalizer named 'firm'\n  try: use one of 'soft'"),
        ({"kernel": "cubic"}, "there is no kernel named 'cubic'\n  try: use one of 'rbf'"),
        ({"repeats": "no"}, "repeats is 'no'\n"),
        ({"failures": "forget"}, "^failures is 'forget'\n  try: use one of 'learn', 'ignore'$"),
        ({"failures": False}, "^failures is False\n  try: use one of 'learn', 'ignore'$"),
        ({"noise": "little"}, "noise is 'little'\n"),
        ({"noise": math.nan}, "^noise is nan\n  try: use a variance"),
        ({"noise": -1}, "^noise is -1\n  try: use a variance"),
        ({"acquisition": {"name": "ucb", "kappa": math.nan}}, "^strategy.acquisition.ucb.kappa is nan\n  try: use a finite"),
        ({"model": {"noise_floor": np.float64(math.inf)}}, "^model.noise_floor is inf\n"),
        ({"name": 3}, "name is 3\n  try: use a string"),
        ({"worker": 3}, "worker is 3, but should be this worker's name\n  try: did you mean `workers`"),
        ({"worker": b"a"}, "worker is .*\n  try: use a string"),
        ({"store": 3}, "the store is 3\n  try: use a path"),
        ({"store": b"study.elbow"}, "the store is b'study.elbow'\n  try: use a string"),
        ({"lease": "a"}, "lease is 'a'\n  try: use a number of seconds, at least 1"),
        ({"lease": 0}, "lease is 0\n  try: use a number of seconds, at least 1"),
        ({"lease": 0.99}, "lease is 0.99\n"),
        ({"lease": math.nan}, "lease is nan\n"),
        ({"lease": True}, "lease is True\n"),
        ({"acquisition": 3}, "the acquisition is 3\n"),
        ({"kernel": 3}, "there is no kernel named 3\n"),
        ({"model": 3}, "the model is 3\n"),
        ({"model": {"noise": object}}, "cannot be written"),
        ({"model": {"max_observations": -1}}, "integer `-1`, expected a whole number that is not negative\n"),
    ],
)
def test_a_bad_setting_is_named_with_what_is_allowed(settings, words):
    with pytest.raises(er.ConfigError, match=words):
        er.Study(SPACE, **settings)


@pytest.mark.parametrize(
    "space",
    [
        None,
        [er.Float(0, 1)],
        {1: er.Float(0, 1)},
        {"x": (0, 1)},
        {"n": er.Int(0, 2**64)},
        {"n": er.Int(0, 1.5)},
        {"x": er.Float("0", 1)},
    ],
)
def test_what_is_no_space_is_refused_as_one(space):
    with pytest.raises(er.SpaceError, match="\n  try: "):
        er.Study(space)
    with pytest.raises(er.SpaceError, match="\n  try: "):
        er.suggest(space)


def test_counts_are_whole_numbers():
    study = er.Study(SPACE)
    for n in ("2", 1.5, None, 0, -1):
        with pytest.raises(er.ConfigError, match="the number of points is"):
            study.ask(n)
    with pytest.raises(er.ConfigError, match="workers is 0"):
        study.run(lambda x: x, 1, workers=0)
    with pytest.raises(er.ConfigError, match="n is '2'"):
        study.run(lambda x: x, "2")
    for limit in ("timeout", "target", "min_gain"):
        with pytest.raises(er.ConfigError, match=f"{limit} is 'much'"):
            study.run(lambda x: x, 1, **{limit: "much"})
    for limit, value in [("timeout", -1), ("timeout", math.nan), ("target", math.nan), ("target", True)]:
        with pytest.raises(er.ConfigError, match=f"{limit} is {value}\n  try: use a number"):
            study.run(lambda x: x, 1, **{limit: value})
    for which in ("first", True, np.bool_(False)):
        with pytest.raises(er.TrialError, match=re.escape(f"there is no trial {which!r}")):
            study.tell(which, 1.0)


def test_a_lease_is_checked_wherever_it_is_given(tmp_path):
    study = er.Study(SPACE, store=tmp_path / "study.elbow")
    for call in (lambda: er.Study.open(study.store, lease=0.5), lambda: er.Study.loads(study.dumps(), lease=0.5)):
        with pytest.raises(er.ConfigError, match="lease is 0.5\n  try: use a number of seconds, at least 1"):
            call()


def test_a_goal_is_part_of_the_name():
    for search in (er.minimize, er.maximize):
        with pytest.raises(er.ConfigError, match="goal is 'maximize'\n  try: use er.minimize or er.maximize"):
            search(lambda x: x, SPACE, budget=2, goal="maximize")


def test_a_reason_is_a_text():
    study = er.Study(SPACE)
    [trial] = study.ask()
    for end in (study.fail, study.infeasible):
        with pytest.raises(er.TrialError, match="the reason is None\n  try: use a string"):
            end(trial, None)
    assert study.trials[0].state == "running"
    with pytest.raises(er.ConfigError, match="due is 'soon'"):
        study.start({"x": 0.5}, due="soon")


def test_nothing_is_predicted_before_there_is_a_value():
    with pytest.raises(er.DataError, match="no trial has a value yet"):
        er.Study({"x": er.Float(0, 1)}).predict({"x": 0.5})


def test_a_single_point_is_predicted_too():
    study = er.Study(SPACE)
    study.tell({"x": 0.25}, 1.0)
    assert [one.shape for one in study.predict({"x": 0.5})] == [(1,), (1,)]
    assert study.predict({"x": 0.5})[0] == study.predict([{"x": 0.5}])[0]
    for bad in (3, "x", [3]):
        with pytest.raises(er.SpaceError, match="a point is .*\n  try: use a dict"):
            study.predict(bad)


def test_names_of_a_point_are_texts():
    study = er.Study(SPACE)
    for call in (lambda: study.tell({1: 0.1}, 1.0), lambda: er.suggest(SPACE, [({1: 0.1}, 1.0)])):
        with pytest.raises(er.SpaceError, match="a parameter is called 1\n  try: use a string"):
            call()


@pytest.mark.parametrize("value", [None, 2**70, [0.5], np.array([0.5, 0.25]), "\ud800"])
def test_what_is_no_value_of_a_parameter_is_refused_with_the_space(value):
    study = er.Study(SPACE)
    with pytest.raises(er.SpaceError, match="cannot be the value of a parameter\n  try: "):
        study.tell({"x": value}, 1.0)
    assert study.trials == []


def test_seeds_of_the_building_blocks_are_checked_as_those_of_studies():
    gp = er.GaussianProcess([[0.0], [1.0]], [0.0, 1.0], noise=1e-6)
    for call in (
        lambda seed: gp.lipschitz([(0, 1)], seed=seed),
        lambda seed: gp.sample([[0.5]], seed=seed),
        lambda seed: er.GaussianProcess.fit([[0.0], [1.0]], [0.0, 1.0], seed=seed),
        lambda seed: er.qei([0.0], [[1.0]], 0.0, seed=seed),
        lambda seed: er.problems.branin.shifted(seed),
    ):
        call(np.int64(3))
        for seed in (-1, 2**64, "one", 0.5):
            with pytest.raises(er.ConfigError, match="seed is .*\n  try: use an integer of at least 0"):
                call(seed)
    with pytest.raises(er.ConfigError, match="n is -1"):
        gp.sample([[0.5]], -1)


def test_a_covariance_that_is_none_is_refused():
    for mean, cov, best in [
        ([math.nan, 0], np.eye(2), 0.0),
        ([0, 0], [[1, math.inf], [math.inf, 1]], 0.0),
        ([0, 0], np.eye(2), math.nan),
    ]:
        with pytest.raises(er.DataError, match="infinite or NaN"):
            er.qei(mean, cov, best)
    with pytest.raises(er.DataError, match="not symmetric"):
        er.qei([0, 0], [[1, 0.5], [0.4, 1]], 0.0)
    with pytest.raises(er.DataError, match="not positive semidefinite: it has the eigenvalue -1"):
        er.qei([0, 0], [[1, 2], [2, 1]], 0.0)
    # One that is singular, and one that is 0, are covariances.
    assert er.qei([0, 0], np.ones((2, 2)), 0.0)[0] == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-6)
    assert er.qei([1.0], [[0.0]], 0.0)[0] == pytest.approx(1.0)
    # Rounding is no asymmetry.
    assert er.qei([0, 0], [[1, 0.5], [0.5 + 1e-12, 1]], 0.0)[0] > 0


def test_points_that_are_none_are_refused():
    gp = er.GaussianProcess([[0.0], [1.0]], [0.0, 1.0], noise=1e-6)
    for at in (gp.predict, gp.mean_gradient, gp.sd_gradient, gp.gradient_posterior, gp.joint, gp.sample, gp.condition):
        for bad in (math.nan, math.inf):
            with pytest.raises(er.DataError, match="x has numbers that are infinite or NaN"):
                at([[bad]])
    for bounds in ([(0, math.inf)], [(math.nan, 1)]):
        with pytest.raises(er.DataError, match="bounds has numbers"):
            gp.lipschitz(bounds)
    with pytest.raises(er.DataError, match="above its upper bound"):
        gp.lipschitz([(1, 0)])
    given = {"x": [0.1], "center": [0.0], "lipschitz": 1.0, "best": 1.0, "mean": 0.0, "sd": 1.0}
    for name in ("x", "center", "best", "mean", "lipschitz", "sd"):
        with pytest.raises(ValueError, match=name):
            er.ln_penalizer(**{**given, name: [math.nan] if name in ("x", "center") else math.nan})


GP = er.GaussianProcess
X, Y = [[0.0], [0.5], [1.0]], [0.0, 1.0, 0.5]


@pytest.mark.parametrize(
    "call",
    [
        lambda gp: GP([["a"]], [0.0]),
        lambda gp: GP([["1"]], ["2"]),
        lambda gp: GP(np.array([[1 + 2j]]), [0.0]),
        lambda gp: GP([[10**400]], [0.0]),
        lambda gp: GP([[0.0], [0.0, 1.0]], [0.0, 1.0]),
        lambda gp: GP(X, Y, variance="much"),
        lambda gp: GP(X, Y, mean="some"),
        lambda gp: GP(X, Y, lengthscales="long"),
        lambda gp: GP(X, Y, noise="little"),
        lambda gp: GP(X, Y, kernel=3),
        lambda gp: GP(np.zeros((2, 2)), [0, 1], lengthscales=np.ones((3, 1))),
        lambda gp: GP.fit(np.zeros((0, 1)), []),
        lambda gp: GP.fit(X, Y, mean="some"),
        lambda gp: GP.fit(X, Y, kernel=None),
        lambda gp: GP.fit(X, Y, bounds=[(0, 1), (0, 1)]),
        lambda gp: GP.fit(X, Y, bounds="box"),
        lambda gp: gp.predict("here"),
        lambda gp: gp.predict([["0.5"]]),
        lambda gp: gp.condition([[0.3]], "high"),
        lambda gp: gp.condition([[0.3], [0.4]], [1.0, 2.0], noise=[1, 2, 3]),
        lambda gp: gp.lipschitz("box"),
        lambda gp: er.ln_penalizer(0.5, [0, 0], 1, 1, 0, 1),
        lambda gp: er.ln_penalizer([], [], 1, 1, 0, 1),
        lambda gp: er.ln_penalizer(["0.5"], [0], 1, 1, 0, 1),
        lambda gp: er.ln_penalizer([10**400], [0], 1, 1, 0, 1),
        lambda gp: er.ln_penalizer([0.5], [0], "steep", 1, 0, 1),
        lambda gp: er.ln_penalizer([0.5], [0], 1, [1, 2], 0, 1),
        lambda gp: er.ln_penalizer([0.5], [0], 1, 1, 0, 1, kind=3),
        lambda gp: er.ln_expected_improvement([0, 1], [1, 2, 3], 0),
        lambda gp: er.ln_expected_improvement("a", 1, 0),
        lambda gp: er.ucb("a", 1),
        lambda gp: er.ucb([0, 1], [1, 2, 3]),
        lambda gp: er.qei([0.0], [[1.0]], [1, 2]),
        lambda gp: er.qei(["0"], [[1.0]], 0.0),
        lambda gp: er.qei([0.0], np.zeros((1, 1, 1)), 0.0),
        lambda gp: er.qei([], np.zeros((0, 0)), 0.0),
        lambda gp: er.problems.branin("here"),
    ],
)
def test_building_blocks_say_what_is_no_array_for_them(call):
    gp = GP(X, Y, noise=1e-6, lengthscales=0.3)
    with pytest.raises(er.ElbowroomError, match="\n  try: "):
        call(gp)


def test_noise_may_be_given_as_a_standard_deviation():
    study = er.Study({"x": er.Float(0, 1)}, sd=0.5)
    assert study.settings["model"]["noise"] == 0.25
    assert er.Study({"x": er.Float(0, 1)}, model={"sd": 0.5}).settings["model"]["noise"] == 0.25
    [trial] = study.ask()
    study.tell(trial, 1.0, sd=2)
    study.add({"x": 0.5}, 1.0, sd=np.float64(0.1))
    assert [one.noise for one in study.trials] == [4.0, pytest.approx(0.01)]
    for wrong in ({"sd": -1}, {"sd": float("nan")}, {"sd": "a"}, {"sd": 1.0, "noise": 1.0}):
        with pytest.raises(er.DataError):
            study.tell(0, 1.0, **wrong)
        with pytest.raises(er.ConfigError):
            er.Study({"x": er.Float(0, 1)}, **wrong)
    assert len(er.suggest({"x": er.Float(0, 1)}, [({"x": 0.25}, 1.0)], sd=0.1)) == 1


def test_keys_that_nobody_reads_are_refused_at_any_depth_with_the_nearest_known_one():
    space = {"x": er.Float(0, 1)}
    for name in er.strategies():
        with pytest.raises(er.ConfigError, match="there is no setting `strategy.acquisiton`"):
            er.Study(space, strategy={"name": name, "acquisiton": "ei"})
    with pytest.raises(er.ConfigError, match="did you mean `acquisition`"):
        er.Study(space, strategy={"name": "plain", "acquisiton": "ei"})
    nested = {"name": "plain", "acquisition": {"ucb": {"kappa": 1.0, "kapa": 2.0}}}
    with pytest.raises(er.ConfigError, match="(?s)strategy.acquisition.ucb.kapa.*did you mean `kappa`"):
        er.Study(space, strategy=nested)
    with pytest.raises(er.ConfigError, match="there is no setting `model.noize`\n  try: did you mean `noise`"):
        er.Study(space, model={"noize": 1.0})


def test_a_measured_point_that_breaks_a_known_constraint_is_kept_and_warned_of():
    study = er.Study({"x": er.Float(0, 1)}, constraints="x < 0.5")
    with pytest.warns(UserWarning, match="trial 0 was measured where the constraint `x < 0.5` is broken"):
        study.add({"x": 0.75}, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.add({"x": 0.25}, 2.0)
    with pytest.warns(UserWarning, match="trial 0, the best, breaks the constraint `x < 0.5`"):
        assert study.best.number == 0


def test_the_options_that_are_listed_once_more_are_the_arguments_they_stand_for():
    from elbowroom._minimize import RunOptions
    from elbowroom._settings import SearchOptions, StudyOptions

    def names(function):
        return set(inspect.signature(function).parameters)

    in_store = {"store", "name", "worker", "lease"}
    assert set(StudyOptions.__annotations__) == names(er.Study) - {"space", "goal", "budget"}
    assert set(SearchOptions.__annotations__) == set(StudyOptions.__annotations__) - in_store
    assert set(RunOptions.__annotations__) == names(er.Study.run) - {"self", "f", "n", "workers"}
    space = {"x": er.Float(0, 1)}
    with pytest.raises(TypeError, match=r"minimize\(\) got an unexpected keyword argument 'tiemout'"):
        er.minimize(lambda x: x, space, 3, tiemout=1)
    with pytest.raises(TypeError, match=r"suggest\(\) got an unexpected keyword argument 'sede'"):
        er.suggest(space, sede=1)
    assert er.maximize(lambda x: x, space, 4, timeout=60, seed=1).goal == "maximize"
