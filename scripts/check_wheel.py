"""The wheel of crowdseq alone in an empty environment: the product works, its research is not there.

    python scripts/check_wheel.py

Builds the wheel, installs it into a new environment and runs commands there; ends with 1 if one fails.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = ("reproduce", "bench")


def main() -> int:
    """Exit code 0 if everything is as it should be."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder / "wheels")
        problems = [*foreign_files(wheel), *missing_files(wheel)]
        command = install(wheel, folder / "empty")
        problems += [*demo_problems(command, folder), *missing_command_problems(command, folder)]
        problems += missing_extra_problems(command, folder)
    for problem in problems:
        print(f"wheel: {problem}", file=sys.stderr)
    told = "failed" if problems else "works alone"
    print(f"wheel: {wheel.name} {told} ({time.monotonic() - begun:.0f} s)", file=sys.stderr)
    return 1 if problems else 0


def build(folder: Path) -> Path:
    """The wheel of the product."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(folder), "."], check=True, cwd=ROOT, env=_constrained())
    (wheel,) = folder.glob("crowdseq-*.whl")
    return wheel


def install(wheel: Path, environment: Path) -> list[str]:
    """How to call crowdseq in a new environment that holds the wheel and what it needs."""
    venv.create(environment, with_pip=False)
    python = str(environment / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", str(wheel)], check=True, cwd=ROOT, env=_constrained())
    return [str(environment / "bin" / "crowdseq")]


def foreign_files(wheel: Path) -> list[str]:
    """A line for each file of the wheel that is not of the product."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    own = ("crowdseq/", f"{wheel.name.rpartition('-py3')[0]}.dist-info/")
    return [f"{name} does not belong into it" for name in names if not name.startswith(own)]


def missing_files(wheel: Path) -> list[str]:
    """A line for each file of the browser door that was left out."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    web = ROOT / "src" / "crowdseq" / "web"
    wanted = [
        f"crowdseq/web/{path.relative_to(web)}"
        for kind in ("html", "js", "css", "svg")
        for path in web.rglob(f"*.{kind}")
    ]
    return [f"{name} is missing in it" for name in wanted if name not in names]


def missing_extra_problems(command: Sequence[str], folder: Path) -> list[str]:
    """A line if a command does not say in one line which extra it needs."""
    done = _run([*command, "review", "run"], folder)
    lines = done.stderr.splitlines()
    if done.returncode != 2 or len(lines) != 1 or "pip install 'crowdseq[web]'" not in lines[0]:
        return [f"`crowdseq review` ended with {done.returncode}: {done.stderr}"]
    return []


def demo_problems(command: Sequence[str], folder: Path) -> list[str]:
    """A line if the demo fails or leaves no report behind."""
    done = _run([*command, "demo", "--out", "run"], folder)
    if done.returncode or not (folder / "run" / "report.html").is_file():
        return [f"`crowdseq demo` failed: {done.stderr}"]
    return []


def missing_command_problems(command: Sequence[str], folder: Path) -> list[str]:
    """A line for each command of the research that does not say in one line what to install."""
    wrong = []
    for name in OUTSIDE:
        done = _run([*command, name], folder)
        lines = done.stderr.splitlines()
        if done.returncode != 2 or len(lines) != 1 or "pip install crowdseq-research" not in lines[0]:
            wrong.append(f"`crowdseq {name}` ended with {done.returncode}: {done.stderr}")
    return wrong


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    # Nothing of the clone may be found: neither by PYTHONPATH nor by the folder we are in.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)


def _constrained() -> dict[str, str]:
    """The versions of constraints.txt, for what is installed and for what builds the wheel.

    By a relative path, from the root: pip cuts these settings at spaces.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PIP_CONSTRAINT": "constraints.txt", "PIP_BUILD_CONSTRAINT": "constraints.txt"}


if __name__ == "__main__":
    sys.exit(main())
