"""Tests that need nothing but the standard library: `python3 -m unittest` in this folder."""
import contextlib
import io
import itertools
import math
import random
import unittest

import cases
import constrained
import objectives
import plan
import summary
from volume import front, hypervolume

PLAN = plan.protocol()


def by_inclusion_and_exclusion(points, reference):
    """The volume of a union of boxes, from the volumes of all their intersections."""
    total = 0.0
    for n in range(1, len(points) + 1):
        for some in itertools.combinations(points, n):
            box = math.prod(max(r - max(x), 0.0) for r, x in zip(reference, zip(*some)))
            total += box if n % 2 else -box
    return total


class Volume(unittest.TestCase):
    def test_it_is_that_of_inclusion_and_exclusion(self):
        draw = random.Random(0)
        for m in (1, 2, 3, 4, 5):
            for n in range(8):
                # Eighths: coordinates often coincide, and every sum is exact.
                points = [tuple(draw.randrange(10) / 8 for _ in range(m)) for _ in range(n)]
                self.assertEqual(hypervolume(points, [1.0] * m), by_inclusion_and_exclusion(points, [1.0] * m), points)

    def test_points_on_a_diagonal_leave_half_of_a_step_each(self):
        # n points i/(n - 1), 1 - i/(n - 1) with the reference 1, 1: a staircase with the area (n - 2) / (2 (n - 1)).
        for n in (2, 5, 101):
            points = [(i / (n - 1), 1 - i / (n - 1)) for i in range(n)]
            self.assertAlmostEqual(hypervolume(points, (1.0, 1.0)), (n - 2) / (2 * (n - 1)), places=13)

    def test_points_beyond_the_reference_count_for_nothing(self):
        self.assertEqual(hypervolume([(0.0, 2.0), (2.0, 0.0), (1.0, 0.5)], (1.0, 1.0)), 0.0)

    def test_a_front_has_each_point_once_and_none_that_is_dominated(self):
        self.assertEqual(front([(1, 2), (2, 1), (1, 2), (2, 2), (0, 3)]), [(0, 3), (1, 2), (2, 1)])


class Functions(unittest.TestCase):
    def test_fronts_that_are_known_have_the_volume_that_is_known(self):
        # 1,000 strips of each front: a strip of width h leaves out at most h times the height; ZDT3 has four gaps beside.
        steps = [i / 1000 for i in range(1001)]
        for name, height in (("dtlz2", 1.1), ("zdt1", 11), ("zdt2", 11), ("zdt3", 11)):
            function, _, reference, known, _ = cases.FRONTS[name]
            rest = [0.5] * 5 if name == "dtlz2" else [0.0] * 5
            found = hypervolume([function([u, *rest]) for u in steps], reference)
            self.assertLessEqual(found, known + 1e-9, name)
            self.assertLess(known - found, 3 * height / 1000, name)

    def test_the_textbooks_designs_are_feasible_and_cost_what_they_say(self):
        # Coello Coello and Mezura Montes 2002, and Lemonge et al. 2010: published designs to the digits printed there.
        cost, limits = constrained.speed_reducer([3.5, 0.7, 17.0, 7.3, 7.8, 3.350215, 5.286683])
        self.assertAlmostEqual(cost[0], 2996.348, delta=0.01)
        self.assertLess(max(limits), 1e-2)
        cost, limits = constrained.pressure_vessel([0.8125, 0.4375, 42.097398, 176.654047])
        self.assertAlmostEqual(cost[0], 6059.946, delta=0.01)
        self.assertLess(max(limits), 1.0)
        cost, limits = constrained.welded_beam([0.205986, 3.471328, 9.020224, 0.206480])
        self.assertAlmostEqual(cost[0], 1.728226, delta=1e-4)
        self.assertLess(max(limits), 0.0)

    def test_gardners_constraints_hold_where_the_paper_says(self):
        # cos x cos y - sin x sin y is cos(x + y); sin x sin y is -1 where one is pi / 2 and the other 3 pi / 2.
        objective, limit = constrained.waves([0.5, 0.75])
        self.assertAlmostEqual(limit[0], math.cos(1.25) - 0.5, places=14)
        self.assertAlmostEqual(objective[0], math.cos(1.0) * math.cos(0.75) + math.sin(0.5), places=14)
        objective, limit = constrained.islands([1.5 * math.pi, 0.5 * math.pi])
        self.assertAlmostEqual(limit[0], -0.05, places=14)
        self.assertAlmostEqual(objective[0], -1 + 0.5 * math.pi, places=14)

    def test_a_case_without_a_feasible_point_has_no_score(self):
        case = cases.Case("islands")
        self.assertIsNone(case.score([case.measure([0.0, 0.0])]))
        disk = cases.Case("disk_branin_currin")
        self.assertEqual(disk.score([disk.measure([0.0, 0.0])]), 0.0)

    def test_currins_function_has_its_limit_at_the_edge(self):
        near, edge = objectives.branin_currin([0.3, 1e-9]), objectives.branin_currin([0.3, 0.0])
        self.assertAlmostEqual(near[1], edge[1], places=12)


class Protocol(unittest.TestCase):
    def test_a_run_ends_with_whole_batches(self):
        for job in plan.all_jobs(PLAN):
            n, n_init = plan.evaluations(PLAN, len(cases.Case(job.problem).space), job.q)
            self.assertEqual((n - n_init) % job.q, 0, job)

    def test_peers_have_the_seeds_of_their_part_and_we_have_twenty(self):
        jobs = plan.all_jobs(PLAN)
        for part, what in PLAN["parts"].items():
            for problem, q in plan.cells(PLAN, part):
                for system in what["systems"]:
                    seeds = [job.seed for job in jobs if (job.system, job.problem, job.q) == (system, problem, q)]
                    wanted = 20 if system == plan.OURS else 1 if [system, problem] in PLAN["last"] else what["seeds"]
                    self.assertEqual(seeds, list(range(wanted)), (system, problem, q))

    def test_a_seed_is_run_on_everything_before_the_next(self):
        seeds = [job.seed for job in plan.all_jobs(PLAN) if [job.system, job.problem] not in PLAN["last"]]
        self.assertEqual(seeds, sorted(seeds))


def rows(*found):
    keys = ("system", "problem", "q", "seed", "score", "front")
    return [dict(zip(keys, row), cpu_s=2.0, batches=4, versions="1") for row in found]


def shown(part, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        part(*arguments)
    return text.getvalue()


class Summary(unittest.TestCase):
    def test_a_run_without_a_feasible_point_is_last(self):
        found = summary.Rows(rows(("elbowroom", "waves", 5, 0, -1.9), ("egobox", "waves", 5, 0, None)))
        text = shown(summary.mean_ranks, found, ["elbowroom", "egobox"], [("waves", 5)], (10, 0))
        self.assertIn("| egobox | 2.00 (2.00 to 2.00) | 0 |", text)
        self.assertIn("none", shown(summary.distances, found, ["elbowroom", "egobox"], [("waves", 5)]))

    def test_the_best_known_volume_is_that_of_all_runs_together_if_it_is_larger(self):
        # Two fronts that neither has alone: the boxes 14 by 5 and 15 by 1 of the reference 18, 6 share 14 by 1.
        found = rows(("elbowroom", "branin_currin", 5, 0, 70.0, [[4.0, 1.0]]), ("nsga2", "branin_currin", 5, 0, 15.0, [[3.0, 5.0]]))
        self.assertEqual(summary.best_known(found), {"branin_currin": 71.0})
        self.assertEqual(summary.best_known(found[1:]), {"branin_currin": 59.36011874867746})
        exact = rows(("elbowroom", "zdt1", 5, 0, 121.0, [[0.0, 0.0]]))
        self.assertEqual(summary.best_known(exact), {"zdt1": 120 + 2 / 3})

    def test_a_better_median_of_another_system_is_a_loss_and_absent_systems_are_named(self):
        found = summary.Rows(rows(("elbowroom", "islands", 5, 0, 1.2532358963750578), ("egobox", "islands", 5, 0, 0.2632358963750578),
                                  ("elbowroom", "waves", 5, 0, -1.5), ("egobox", "waves", 5, 0, -1.4)))
        text = shown(summary.losses, found, "elbowroom", ["botorch", "egobox"], [("islands", 5), ("waves", 5)])
        self.assertIn("Another system is better than elbowroom on 1 of 2 cells. botorch has no rows yet.", text)
        self.assertIn("| islands | 0.00 | egobox: -2.00 (1) |", text)

    def test_cpu_time_is_that_of_a_batch(self):
        found = summary.Rows(rows(("elbowroom", "waves", 5, 0, 1.0), ("botorch", "waves", 5, 0, 1.0)))
        text = shown(summary.cpu, found, ["elbowroom", "botorch"], [("waves", 5)])
        self.assertIn("| waves | 500 | 500 | 1 |", text)


if __name__ == "__main__":
    unittest.main()
