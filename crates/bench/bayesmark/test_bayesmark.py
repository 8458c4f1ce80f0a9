"""Tests that need nothing but the standard library: `python3 -m unittest` in this folder."""
import contextlib
import io
import os
import unittest
from math import inf

import bench  # noqa: F401, the folder of the peers
import plan
import summary
import tasks

PLAN = plan.protocol()
FOUND = {
    "C": {"type": "real", "space": "log", "range": (1.0, 1e3)},
    "features": {"type": "real", "space": "logit", "range": (0.01, 0.99)},
    "depth": {"type": "int", "space": "linear", "range": (1, 15)},
    "positive": {"type": "bool"},
}


class Objective:
    """Answers as objective.py does: the loss is the depth, and a tree of one level does not fit."""

    def __init__(self):
        self.draws, self.values = [], None

    def call(self, op, **request):
        if op == "task":
            return {"parameters": FOUND, "version": "0.0.8"}
        self.draws.append(request["draw"])
        self.values = request["values"]
        depth = self.values["depth"]
        return {"loss": None, "test": None} if depth == 1 else {"loss": depth, "test": depth + 0.5}


class Protocol(unittest.TestCase):
    def test_there_are_32_tasks_and_each_has_a_loss_for_what_does_not_fit(self):
        names = plan.tasks(PLAN)
        self.assertEqual((len(names), len(set(names))), (32, 32))
        self.assertEqual({name.partition("/")[2] for name in names}, set(tasks.FAILED))

    def test_every_system_has_three_runs_of_each_task(self):
        jobs = plan.all_jobs(PLAN)
        self.assertEqual((len(jobs), len(set(jobs))), (5 * 32 * 3, 5 * 32 * 3))

    def test_every_peer_is_one_of_the_comparison_with_one_objective(self):
        for system in PLAN["systems"].keys() - {plan.OURS}:
            self.assertTrue(os.path.exists(os.path.join(bench.PEERS, "systems", system + ".py")), system)


class Tasks(unittest.TestCase):
    def test_a_point_is_told_to_bayesmark_in_its_own_terms(self):
        objective = Objective()
        task = tasks.Task(objective, "DT/wine/nll", 0)
        self.assertEqual([p["name"] for p in task.space], ["C", "depth", "features", "positive"])
        self.assertEqual([p["type"] for p in task.space], ["float", "int", "float", "category"])
        task.value([1e3, 7, 0.0, "true"])
        self.assertEqual(objective.values, {"C": 1e3, "depth": 7, "features": 0.5, "positive": True})

    def test_the_ends_of_a_logit_scale_stay_in_the_range(self):
        task = tasks.Task(Objective(), "DT/wine/nll", 0)
        ends = [task.space[2]["low"] - 1e-9, task.space[2]["high"] + 1e-9]
        self.assertEqual([tasks.value(FOUND["features"], end) for end in ends], [0.01, 0.99])

    def test_what_does_not_fit_has_a_loss_and_is_counted(self):
        task = tasks.Task(Objective(), "DT/boston/mse", 0)
        self.assertEqual([task.value([1.0, depth, 0.0, "true"]) for depth in (5, 1, 3)], [5, 1e3, 3])
        self.assertEqual((task.n_failed, task.test()), (1, 3.5))

    def test_draws_depend_on_task_seed_and_number_alone(self):
        def draws(name, seed):
            objective = Objective()
            task = tasks.Task(objective, name, seed)
            for _ in range(2):
                task.value([1.0, 2, 0.0, "true"])
            return objective.draws

        self.assertEqual(draws("DT/wine/nll", 0), draws("DT/wine/nll", 0))
        both = draws("DT/wine/nll", 0) + draws("DT/wine/nll", 1) + draws("RF/wine/nll", 0)
        self.assertEqual(len(set(both)), 6)


class Summary(unittest.TestCase):
    def rows(self, *rows):
        return summary.Rows([dict(zip(("system", "problem", "seed", "regret"), row), cpu_s=1.0) for row in rows])

    def test_a_score_is_0_at_the_median_of_random_search_and_1_at_the_least_of_all(self):
        rows = self.rows(("random", "t", 0, 2.0), ("random", "t", 1, 3.0), ("random", "t", 2, 9.0),
                         ("hebo", "t", 0, 1.0), ("elbowroom", "t", 0, 2.5), ("optuna_gp", "t", 0, None))
        self.assertEqual([rows.score(s, "t") for s in ("hebo", "elbowroom", "optuna_gp")], [1.0, 0.25, -1.0])
        self.assertEqual(rows.scores["random", "t"], {0: 0.5, 1: 0.0, 2: -1.0})

    def test_nothing_below_random_search_scores_nothing(self):
        self.assertEqual([summary.score(loss, 2.0, 2.0) for loss in (2.0, 2.1, inf)], [0.0, -1.0, -1.0])

    def test_a_higher_mean_of_another_system_is_a_loss(self):
        rows = self.rows(("random", "t", 0, 3.0), ("hebo", "t", 0, 1.0), ("elbowroom", "t", 0, 2.0),
                         ("random", "u", 0, 3.0), ("hebo", "u", 0, 2.0), ("elbowroom", "u", 0, 1.0),
                         ("random", "v", 0, 3.0), ("elbowroom", "v", 0, 4.0))
        with contextlib.redirect_stdout(io.StringIO()) as text:
            summary.losses(rows, ["elbowroom", "hebo", "random"], ["t", "u", "v", "w"])
        self.assertIn("on 2 of 3 tasks", text.getvalue())
        self.assertIn("| t | 0.50 | hebo 1.00 |", text.getvalue())
        self.assertIn("| v | -1.00 | random 0.00 |", text.getvalue())


if __name__ == "__main__":
    unittest.main()
