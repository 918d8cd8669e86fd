"""The example of the README gives what stands beside it."""

import ast
import re
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_answers_beside_the_example_are_those_that_come() -> None:
    [code] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    told = re.findall(r"^(\S.*?)\s+# (\(\".*\))$", code, re.M)
    assert len(told) == 2
    for expression, answer in told:
        wanted = ast.literal_eval(answer.replace("…", ""))
        found = eval(expression, names)
        assert found[: len(wanted)] == wanted
        assert "…" in answer or len(found) == len(wanted)
