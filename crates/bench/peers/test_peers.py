"""Tests that need nothing but the standard library: `python3 -m unittest` in this folder."""
import contextlib
import io
import os
import sys
import unittest
from math import inf

import jobs
import space
import stats
import summary
from play import Failed, Peer, play

PLAN = jobs.protocol()
MIXED = [space.real("rate", 1e-4, 1.0, log=True), space.whole("n", 1, 4), space.whole("m", 1, 64, log=True),
         space.category("c", ["p", "q", "r"])]


class Space(unittest.TestCase):
    def test_integers_and_categories_have_equal_shares_of_the_cube(self):
        found = [space.from_cube(MIXED, [0.5, (i + 0.5) / 12, 0.5, (i + 0.5) / 12])[1::2] for i in range(12)]
        self.assertEqual([n for n, _ in found], [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3)
        self.assertEqual([c for _, c in found], ["p"] * 4 + ["q"] * 4 + ["r"] * 4)

    def test_both_ends_of_the_cube_are_in_the_space(self):
        self.assertEqual(space.from_cube(MIXED, [0.0] * 4), [1e-4, 1, 1, "p"])
        self.assertEqual(space.from_cube(MIXED, [1.0] * 4), [1.0, 4, 64, "r"])

    def test_a_relaxed_point_comes_back_as_it_was(self):
        relaxed = space.Relaxed(MIXED)
        self.assertEqual(relaxed.dim, 6)
        for point in ([1e-4, 1, 1, "p"], [1.0, 4, 64, "r"], [0.01, 3, 17, "q"]):
            back = relaxed.point(relaxed.cube(point))
            self.assertAlmostEqual(back[0], point[0], places=12)
            self.assertEqual(back[1:], point[1:])


class Protocol(unittest.TestCase):
    def test_there_are_forty_problems_and_none_is_a_tuning_task_of_the_defaults(self):
        names = [name for name, _ in jobs.at_ten(PLAN)]
        self.assertEqual((len(names), len(set(names))), (40, 40))
        with open(os.path.join(jobs.HERE, "..", "src", "problems.rs")) as file:
            tasks = file.read().split("pub const NAMES")[1].split("];")[0]
        self.assertFalse([name for name in names if f'"{name.partition("~")[0]}"' in tasks])

    def test_a_run_ends_with_whole_batches(self):
        for stage in jobs.stages(PLAN).values():
            for job in stage:
                n, n_init = jobs.evaluations(PLAN, job.problem, job.q)
                self.assertEqual((n - n_init) % job.q, 0, job)

    def test_a_run_of_ones_own_may_have_another_length_and_batch(self):
        self.assertEqual(jobs.evaluations(PLAN, "levy100s", 20, 1000), (1000, 20))

    def test_peers_have_five_seeds_and_we_have_twenty(self):
        cells = [job for stage in jobs.stages(PLAN).values() for job in dict.fromkeys(stage)]
        for system, n in (("elbowroom", 20), ("optuna_tpe", 20), ("random", 20), ("hebo", 5), ("botorch", 5), ("cma_es", 5)):
            for name, q in jobs.at_ten(PLAN):
                seeds = {job.seed for job in cells if (job.system, job.problem, job.q) == (system, name, q)}
                self.assertEqual(len(seeds), n, (system, name))

    def test_about_one_run_of_ours_in_twenty_is_run_again(self):
        ours = jobs.stages(PLAN)["ours"]
        share = sum(jobs.is_repeated(PLAN, job) for job in ours) / len(ours)
        # A hash that is uniform: 1/20 within four standard deviations of a binomial share.
        self.assertLess(abs(share - 0.05), 4 * (0.05 * 0.95 / len(ours)) ** 0.5)


class Statistics(unittest.TestCase):
    def test_equal_values_share_the_mean_of_their_ranks(self):
        self.assertEqual(stats.ranks([3.0, 1.0, 1.0, inf]), [3.0, 1.5, 1.5, 4.0])

    def test_a_quantile_lies_between_the_nearest_values(self):
        self.assertEqual(stats.quantile([4.0, 1.0, 3.0, 2.0], 0.5), 2.5)
        self.assertEqual(stats.quantile([1.0, inf, inf], 1.0), inf)

    def test_cells_of_one_problem_are_drawn_together(self):
        # Two cells of one problem that cancel: every draw of that problem has the mean 0.
        mean, low, high = stats.clustered({("a~0.1", 10): 1.0, ("a~0.5", 10): -1.0}, 100, 0)
        self.assertEqual((mean, low, high), (0.0, 0.0, 0.0))


class Summary(unittest.TestCase):
    def shown(self, part, rows, *arguments):
        rows = summary.Rows(PLAN, [dict(zip(("system", "problem", "q", "seed", "regret"), row), cpu_s=1.0) for row in rows])
        with contextlib.redirect_stdout(io.StringIO()) as text:
            part(rows, *arguments)
        return text.getvalue()

    def test_a_median_of_more_than_twice_the_best_peer_is_a_loss(self):
        rows = [("elbowroom", "branin", 10, 0, 2.1), ("hebo", "branin", 10, 0, 1.0), ("random", "branin", 10, 0, 5.0),
                ("elbowroom", "levy10", 10, 0, 2.0), ("hebo", "levy10", 10, 0, 1.0)]
        text = self.shown(summary.losses, rows, ["elbowroom", "hebo", "random"], [("branin", 10), ("levy10", 10)])
        self.assertIn("On 1 of 2 problems", text)
        self.assertIn("| branin | 2.1 | hebo: 1 (1) | 2.1 |", text)

    def test_ranks_are_of_the_problems_that_all_have(self):
        rows = [("elbowroom", "branin", 10, 0, 1.0), ("hebo", "branin", 10, 0, 10.0), ("elbowroom", "levy10", 10, 0, 2.0)]
        text = self.shown(summary.mean_ranks, rows, ["elbowroom", "hebo"], [("branin", 10), ("levy10", 10)])
        self.assertIn("1 of 2 problems", text)
        self.assertIn("| hebo | 2.00 (2.00 to 2.00) | 0 | +1.00 (+1.00 to +1.00) |", text)

    def test_the_minimum_of_a_tuning_task_is_the_least_loss_of_all(self):
        rows = [("elbowroom", "net_wine", 10, 0, 0.5), ("hebo", "net_wine", 10, 0, 0.25)]
        text = self.shown(summary.regrets, rows, ["elbowroom", "hebo"], [("net_wine", 10)])
        self.assertIn("| net_wine | 0.25 (0.25–0.25; 1) | **0** (0–0; 1) |", text)


class Runs(unittest.TestCase):
    """A problem with the value of its only coordinate, and a system that asks for 3, 2, 1, ...: what `play` needs."""

    space, sigma, minimum = [], 0.0, None
    value = staticmethod(lambda point: point[0])

    def setUp(self):
        self.calls = []

    def noise(self, _seed, n):
        return [0.0] * n

    def design(self, n, _seed):
        return [[10.0]] * n

    def call(self, op, **_request):
        self.calls.append(op)
        return {"init": {"version": "1"}, "ask": {"x": [[4.0 - self.calls.count("ask")]]}, "tell": {}}[op]

    def test_a_run_begins_with_the_design_that_all_share(self):
        row = play(jobs.Job("hebo", "line", 1, 0), self, 3, 1, self)
        self.assertEqual((row["curve"], self.calls), ([10.0, 3.0, 2.0], ["init", "tell", "ask", "tell", "ask"]))

    def test_without_a_design_the_system_chooses_its_first_batch_too(self):
        row = play(jobs.Job("hebo", "line", 1, 0), self, 3, None, self)
        self.assertEqual((row["curve"], self.calls), ([3.0, 2.0, 1.0], ["init", "ask", "tell", "ask", "tell", "ask"]))


class Processes(unittest.TestCase):
    def peer(self, program):
        peer = Peer([sys.executable, "-c", program], None)
        self.addCleanup(peer.close)
        peer.begin(60)
        self.addCleanup(peer.end)
        return peer

    def test_a_system_that_ends_fails_its_run_alone(self):
        with self.assertRaisesRegex(Failed, "ended"):
            self.peer("input()").call(op="ask")

    def test_a_system_that_says_what_failed_is_quoted(self):
        with self.assertRaisesRegex(Failed, "singular"):
            self.peer("input(); print('{\"error\": \"singular\"}')").call(op="ask")

    def test_cpu_seconds_are_those_of_the_answers_of_one_run(self):
        peer = self.peer("for _ in 'abc': input(); print('{\"cpu\": 0.25}', flush=True)")
        peer.call(op="ask"), peer.call(op="ask")
        self.assertEqual(peer.end(), 0.5)
        peer.begin(60)
        peer.call(op="ask")
        self.assertEqual(peer.end(), 0.25)


if __name__ == "__main__":
    unittest.main()
