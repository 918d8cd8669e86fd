"""The distribution: one version with the product, and commands under the names that the product lists."""

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

from crowdseq.cli.main import ELSEWHERE, PLUGINS

ROOT = Path(__file__).resolve().parents[2]


def test_product_and_research_have_one_version() -> None:
    product, research = (
        tomllib.loads((ROOT / place / "pyproject.toml").read_text("utf-8"))["project"]
        for place in (".", "research")
    )
    assert research["version"] == product["version"]
    assert f"crowdseq=={product['version']}" in research["dependencies"]
    assert {research["name"]} == set(ELSEWHERE.values())


def test_the_commands_are_those_that_the_product_lists() -> None:
    assert {entry.name for entry in entry_points(group=PLUGINS)} >= set(ELSEWHERE)
