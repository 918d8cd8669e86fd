"""The command that a run remembers is what was typed, without folders and what is of the moment."""

import json
from pathlib import Path

from click.testing import CliRunner

from crowdseq.cli.main import crowdseq

TAGS = {"a": ["B-PER", "O"], "b c": ["B-PER", "O"], "d": ["O", "O"]}
CROWD = json.dumps({"tokens": ["Ada", "slept"], "annotations": TAGS})


def test_a_run_remembers_its_command(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    crowd = tmp_path / "secret" / "crowd.jsonl"
    crowd.write_text(CROWD)
    out = tmp_path / "secret" / "run"
    typed = [
        "learn",
        str(crowd),
        "-m",
        "majority-vote",
        "--no-tagger",
        "--without",
        "b c",
        "-o",
        str(out),
        "--quiet",
    ]
    done = CliRunner().invoke(crowdseq, typed)
    assert done.exit_code == 0, done.output
    settings = json.loads((out / "settings.json").read_text())
    command = settings["command"]
    assert (
        command == "crowdseq learn crowd.jsonl --method majority-vote --out run --no-tagger --without 'b c'"
    )
    assert command.replace("'", "&#x27;") in (out / "report.html").read_text()
