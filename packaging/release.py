#!/usr/bin/env python3
"""Makes what is handed out of the command `elbow` for one target: an archive, its list of parts, and checksums.

    python3 packaging/release.py --target x86_64-unknown-linux-musl --out dist

builds with the profile `dist`; `--binary PATH` takes one that was built already. In the archive are the command, its manual
pages and completions, the licences, the service unit and a README (`archive.md`). `NAME.cdx.json` lists every crate that is compiled
into the command, with versions, licences and checksums, as CycloneDX 1.5. `SHA256SUMS` is what `sha256sum -c` reads.

The same commit, compiler and target give the same archive to the byte, if the binary is the same: times and owners are
fixed. It needs cargo and Python 3.10, and nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "elbowroom-cli"
SHELLS = {"bash": "elbow.bash", "zsh": "_elbow", "fish": "elbow.fish"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--target", required=True, help="as `rustc --print target-list` has it")
    arguments.add_argument("--out", type=Path, default=Path("dist"), help="the folder for what is made")
    arguments.add_argument("--binary", type=Path, help="one that was built already, for this target")
    arguments.add_argument("--run", type=Path, help="the same command for this machine, to make the manual pages with")
    given = arguments.parse_args()
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--locked", "--filter-platform", given.target))
    version = next(one["version"] for one in metadata["packages"] if one["name"] == PACKAGE)
    binary = given.binary or build(given.target, metadata["target_directory"])
    name = f"elbow-{version}-{given.target}"
    given.out.mkdir(parents=True, exist_ok=True)
    files = contents(binary, given.run or binary)
    is_windows = "windows" in given.target
    archive = given.out / f"{name}.{'zip' if is_windows else 'tar.gz'}"
    archive.write_bytes((zipped if is_windows else tarred)(name, files))
    parts = given.out / f"{name}.cdx.json"
    parts.write_text(json.dumps(bill_of_materials(metadata, version), indent=1, sort_keys=True) + "\n")
    write_sums(given.out)
    for path in (archive, parts):
        print(f"{path} ({path.stat().st_size} bytes)")


def cargo(*arguments: str) -> str:
    done = subprocess.run([os.environ.get("CARGO", "cargo"), *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"release: `cargo {' '.join(arguments)}` failed; its message is above")
    return done.stdout


def build(target: str, target_directory: str) -> Path:
    cargo("build", "--profile", "dist", "--locked", "--package", PACKAGE, "--target", target)
    return Path(target_directory) / target / "dist" / ("elbow.exe" if "windows" in target else "elbow")


def contents(binary: Path, runs: Path) -> dict[str, tuple[bytes, int]]:
    """The files of an archive, with their modes."""
    files = {binary.name: (binary.read_bytes(), 0o755)}
    files["README.md"] = ((ROOT / "packaging/archive.md").read_bytes(), 0o644)
    for name in ("CHANGELOG.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE", "packaging/elbow.service"):
        files[Path(name).name] = ((ROOT / name).read_bytes(), 0o644)
    with tempfile.TemporaryDirectory() as folder:
        run(runs, "man", folder)
        for page in sorted(Path(folder).iterdir()):
            files[f"man/{page.name}"] = (page.read_bytes(), 0o644)
    for shell, name in SHELLS.items():
        files[f"completions/{name}"] = (run(runs, "completions", shell), 0o644)
    return files


def run(binary: Path, *arguments: str) -> bytes:
    try:
        return subprocess.run([binary.resolve(), *arguments], check=True, stdout=subprocess.PIPE).stdout
    except OSError as error:
        sys.exit(f"release: {binary} does not run here ({error})\n  try: --run, with the same command for this machine")


def tarred(name: str, files: dict[str, tuple[bytes, int]]) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode, entry.mtime = len(data), mode, 0
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def zipped(name: str, files: dict[str, tuple[bytes, int]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, _) in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}", (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def bill_of_materials(metadata: dict, version: str) -> dict:
    """Every crate that is compiled into the command, and which needs which."""
    packages = {one["id"]: one for one in metadata["packages"]}
    needs = {one["id"]: normal_needs(one) for one in metadata["resolve"]["nodes"]}
    root = next(key for key, one in packages.items() if one["name"] == PACKAGE)
    found, waiting = {root}, [root]
    while waiting:
        for key in needs[waiting.pop()]:
            if key not in found:
                found.add(key)
                waiting.append(key)
    sums = checksums()
    parts = sorted((packages[key] for key in found - {root}), key=lambda one: (one["name"], one["version"]))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "elbow", "version": version, "bom-ref": purl(packages[root])}},
        "components": [component(one, sums) for one in parts],
        "dependencies": [
            {"ref": purl(packages[key]), "dependsOn": sorted(purl(packages[one]) for one in needs[key] if one in found)}
            for key in sorted(found, key=lambda key: purl(packages[key]))
        ],
    }


def normal_needs(node: dict) -> list[str]:
    """What a crate is compiled against: neither for tests alone, nor for the compiler."""
    return [one["pkg"] for one in node["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]


def component(package: dict, sums: dict[tuple[str, str], str]) -> dict:
    found = {"type": "library", "name": package["name"], "version": package["version"]}
    found |= {"purl": purl(package), "bom-ref": purl(package)}
    if package["license"]:
        # Before SPDX had expressions, a slash meant "or".
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if (digest := sums.get((package["name"], package["version"]))) is not None:
        found["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return found


def purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def checksums() -> dict[tuple[str, str], str]:
    """What Cargo.lock says of crates that are not of this repository."""
    pattern = r'name = "(.+)"\nversion = "(.+)"\nsource = ".*"\nchecksum = "(.+)"'
    return {(name, version): digest for name, version, digest in re.findall(pattern, (ROOT / "Cargo.lock").read_text())}


def write_sums(folder: Path) -> None:
    """Of everything that is there, so that several targets can be made into one folder."""
    made = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (folder / "SHA256SUMS").write_text("".join(lines))


if __name__ == "__main__":
    main()
