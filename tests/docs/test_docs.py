"""The manual tells the truth: everything is documented, generated pages are fresh, examples run."""

import re
import sys
from pathlib import Path

import click
import pytest

import make_reference
from crowdseq.cli.main import COMMANDS, crowdseq
from crowdseq.formats import list_formats
from crowdseq.methods import list_methods

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", sorted(make_reference.pages()))
def test_generated_pages_are_fresh(name: str) -> None:
    written = (make_reference.REFERENCE / name).read_text("utf-8")
    assert written == make_reference.pages()[name], "run `make docs`"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_short_help_is_the_command_s_own(name: str) -> None:
    command = crowdseq.get_command(click.Context(crowdseq), name)
    assert command is not None
    assert (command.help or "").splitlines()[0] == COMMANDS[name]
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts} has no help"


@pytest.mark.parametrize("name", sorted(list_methods()))
def test_every_method_has_a_page(name: str) -> None:
    page = (ROOT / "docs" / "methods" / f"{name}.md").read_text("utf-8")
    for heading in ("## When to use it", "## Equations", "## Departures", "## Source"):
        assert heading in page, f"docs/methods/{name}.md lacks {heading}"


def test_every_method_file_is_registered() -> None:
    methods = ROOT / "src/crowdseq/methods"
    files = {path.stem for path in methods.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in methods.glob("*/__init__.py")}
    assert {name.replace("-", "_") for name in list_methods()} == files | folders


@pytest.mark.parametrize("form", list_formats(), ids=lambda form: form.name)
def test_every_format_is_described(form: object) -> None:
    name = form.name  # type: ignore[attr-defined]
    assert f"`{name}`" in (ROOT / "docs" / "formats.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_map_names_modules_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = text.split("## The path of a record", 1)[1].split("## Inside a corpus", 1)[0]
    named = re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", table)
    assert len(named) > 20
    missing = [
        name for name in named if not (ROOT / "src/crowdseq" / name).exists() and not (ROOT / name).exists()
    ]
    assert missing == []


def python_examples() -> list[tuple[str, str]]:
    """Python blocks of some pages, which are meant to run one after the other."""
    texts = {page: (ROOT / "docs" / f"{page}.md").read_text("utf-8") for page in ("tutorial", "python")}
    return [(page, "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))) for page, text in texts.items()]


@pytest.mark.parametrize(("page", "code"), python_examples())
def test_examples_run(page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("pandas", "polars") if page == "python" else ():
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {"__name__": "example"})


def test_the_public_names_are_those_listed() -> None:
    import crowdseq as package

    for name in package.__all__:
        assert getattr(package, name) is not None
    assert sys.modules["crowdseq"].__version__
