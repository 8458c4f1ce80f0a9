"""One run of a system that is in a process of its own. Standard library only."""
import json
import os
import subprocess
import threading

import jobs

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")}


class Failed(Exception):
    """A system that stopped, said that it failed, or took too long."""


class Peer:
    """A system in a process of its own, behind JSON lines. It can play one run after another."""

    def __init__(self, command, log):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                        env={**os.environ, **ONE_THREAD}, cwd=jobs.HERE)
        self.cpu, self.timer = 0.0, None

    def begin(self, most_seconds):
        """A new run, whose CPU seconds are counted from here on; it is ended if it takes longer."""
        self.cpu, self.timer = 0.0, threading.Timer(most_seconds, self.process.kill)
        self.timer.daemon = True
        self.timer.start()

    def end(self):
        self.timer.cancel()
        return self.cpu

    def call(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the process ended, or was ended since it took too long")
        reply = json.loads(line)
        if "error" in reply:
            raise Failed(reply["error"])
        self.cpu += reply.get("cpu", 0.0)
        return reply

    def close(self):
        """Ends the process. All CPU seconds that it took."""
        self.process.stdin.close()
        self.process.stdout.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime


def play(job, problem, n, n_init, peer):
    """One run: the true regret of the best observed point after each batch, and of the point where one would stop.

    A system without n_init points to start from chooses its first batch too, by its own rule.
    """
    declared = {"noise": problem.sigma**2} if job.system == "elbowroom_declared" else {}
    version = peer.call(op="init", space=problem.space, seed=job.seed, n_init=n_init, **declared)["version"]
    noise, least = problem.noise(job.seed, n), problem.minimum or 0.0
    batch = problem.design(n_init, job.seed) if n_init else peer.call(op="ask", q=job.q)["x"]
    seen, true, curve = [], [], []
    while True:
        true += [problem.value(point) for point in batch]
        told = [true[i] + float(noise[i]) for i in range(len(seen), len(true))]
        seen += told
        curve.append(true[min(range(len(seen)), key=seen.__getitem__)] - least)
        if len(seen) >= n:
            break
        peer.call(op="tell", x=batch, y=told)
        q = min(job.q, n - len(seen))
        batch = peer.call(op="ask", q=q)["x"]
        batch += [batch[-1]] * (q - len(batch))
    row = {"versions": version, "evaluations": len(seen), "regret": curve[-1], "curve": curve}
    if problem.sigma:
        peer.call(op="tell", x=batch, y=told)
        row["regret"] = problem.value(peer.call(op="stop")["x"]) - least
    return row
