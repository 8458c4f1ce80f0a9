"""A study in PostgreSQL, on a server of the test's own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from glob import glob
from pathlib import Path

import pytest

import elbowroom as er


@pytest.fixture(name="address")
def _address():
    found = sorted(glob("/usr/lib/postgresql/*/bin")) or [str(Path(path).parent) for path in [shutil.which("initdb")] if path]
    if not found:
        pytest.skip("PostgreSQL is not installed; install it with: apt-get install -y postgresql")
    programs, folder = Path(found[-1]), Path(tempfile.mkdtemp(prefix="elbowroom-pg", dir="/tmp"))
    user, as_user = "tester", {}
    if os.getuid() == 0:
        # PostgreSQL does not run as root.
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        user, as_user = owner.pw_name, {"user": owner.pw_uid, "group": owner.pw_gid}

    def run(program, *arguments):
        options = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_user}
        subprocess.run([programs / program, "-D", folder / "data", *arguments], **options)

    run("initdb", "-U", user, "--auth=trust", "--no-sync")
    run("pg_ctl", "-w", "-l", folder / "log", "-o", f"-k {folder} -c listen_addresses=", "start")
    try:
        yield f"postgres:///postgres?host={folder}&user={user}"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_a_database_keeps_the_study(address):
    study = er.Study({"x": er.Float(0, 1)}, store=address, name="plate", budget=6)
    study.run(lambda x: x, workers=2)
    again = er.Study.open(address, "plate")
    assert again.counts["complete"] == 6 and again.budget_left == 0
    assert again.best == study.best
