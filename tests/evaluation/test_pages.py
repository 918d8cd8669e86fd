"""The pages on evaluation do what they say."""

import re
from pathlib import Path

import pytest

import crowdseq

_DOCS = Path(__file__).resolve().parents[2] / "docs"


def _example(page: str) -> str:
    found = re.search(r"```python\n(.*?)```", (_DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_example_on_scores_gives_the_figures_beside_it() -> None:
    world: dict[str, object] = {}
    code = _example("evaluation.md")
    exec(code, world)
    for expression, told in re.findall(r"^(scores\S.*?) +# ([\d., ]+?)(?:, the.*)?$", code, re.MULTILINE):
        values = eval(expression, world)
        found = list(values) if isinstance(values, tuple) else [values]
        assert found == pytest.approx([float(number) for number in told.split(", ")], abs=5e-4)


def test_the_example_on_agreement_runs_on_the_demo_corpus() -> None:
    annotators = crowdseq.demo_corpus().annotators
    code = _example("agreement.md")
    names = re.findall(r'pair\("(\w+)", "(\w+)"\)', code)[0]
    assert set(names) <= set(annotators)
    exec(code, {})
