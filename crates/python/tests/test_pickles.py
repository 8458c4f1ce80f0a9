"""Building blocks are values: they can be sent to other processes, and copied."""

import copy
import pickle

import numpy as np
import pytest

import elbowroom as er

X = np.array([[0.0, 0.1], [0.4, 0.9], [1.0, 0.3]])
Y = np.array([1.0, -1.0, 0.5])
AT = np.array([[0.2, 0.2], [0.7, 0.5]])

PROCESSES = {
    "given": lambda: er.GaussianProcess(X, Y, "matern52", 2.0, [0.3, 0.4], 1e-3, 0.5),
    "noise of each": lambda: er.GaussianProcess(X, Y, lengthscales=0.3, noise=[1e-3, 1e-2, 1e-1]),
    "fitted": lambda: er.GaussianProcess.fit(X, Y),
    "conditioned": lambda: er.GaussianProcess(X, Y, noise=1e-3).condition([[0.5, 0.5]], [2.0]).condition([[0.7, 0.6]]),
}


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("copied", [lambda gp: pickle.loads(pickle.dumps(gp)), copy.deepcopy, copy.copy])
def test_a_process_that_was_pickled_or_copied_predicts_the_same(name, copied):
    gp = PROCESSES[name]()
    again = copied(gp)
    for one, other in zip(again.predict(AT), gp.predict(AT)):
        np.testing.assert_array_equal(one, other)
    assert repr(again) == repr(gp)


def test_a_copy_does_not_see_what_became_of_the_arrays():
    x = X.copy()
    gp = er.GaussianProcess(x, Y, noise=1e-3)
    x[:] = 7.0
    np.testing.assert_array_equal(copy.deepcopy(gp).predict(AT), gp.predict(AT))


def test_a_problem_that_was_pickled_is_the_same_shifted_or_not():
    for problem in (er.problems.branin, er.problems.ackley(3), er.problems.branin.shifted(3).shifted(4)):
        again = pickle.loads(pickle.dumps(problem))
        np.testing.assert_array_equal(again.minimizers, problem.minimizers)
        assert again(problem.bounds[:, 0]) == problem(problem.bounds[:, 0])
        assert again.name == problem.name


def test_a_problem_is_minimized_in_other_processes():
    branin = er.problems.branin
    study = er.minimize(branin, branin.space, budget=4, workers=2, executor="processes")
    assert [trial.value for trial in study.trials] == [branin(list(trial.params.values())) for trial in study.trials]
