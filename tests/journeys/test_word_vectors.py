"""Word vectors from the command line and Python to a tagger that needs none; used only where they help."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.contract import Learned
from crowdseq.errors import FormatError, MissingFileError, SettingsError
from crowdseq.formats.knowledge.installed import find_installed
from crowdseq.tagging.clusters import Clusters
from crowdseq.tagging.streams import KnowledgeSource
from crowdseq.workflows.knowing.choosing import remarks_of_record, settle_knowledge
from crowdseq.workflows.knowing.knowledge import Knowledge

random = np.random.default_rng(5)
NAMES = ["".join(random.choice(list("aeioubdgklmnprst"), 6)) for _ in range(240)]
PEOPLE, OTHERS = NAMES[:120], NAMES[120:]  # words that look alike: only what vectors know tells them apart
SEEN = 80


def crowd() -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    for number in range(SEEN):
        for word, tag in ((PEOPLE[number], "B-PER"), (OTHERS[number], "O")):
            tags = ["O", tag, "O"]
            record = {"id": f"{word}", "doc": f"d{number}", "tokens": ["then", word, "slept"]}
            records.append({**record, "annotations": {"a": tags, "b": tags, "c": tags}})
    return records


def lines_of_vectors(swap: bool = False) -> str:
    """People at some places, all others at some other places."""
    lines = []
    for number, word in enumerate([*NAMES, "then", "slept"]):
        kind = int((word in PEOPLE) != swap)
        lines.append(f"{word} {number % 3} {kind} {-kind} {number % 2} 1.5 {2 * kind}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "crowd.jsonl").write_text("".join(json.dumps(record) + "\n" for record in crowd()))
    (tmp_path / "vectors.txt").write_text(lines_of_vectors())
    text = [f"then {word} slept" for word in OTHERS] + [f"{word} said : yes" for word in PEOPLE]
    (tmp_path / "text.txt").write_text("\n".join(text * 3) + "\n")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "crowdseq", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def test_a_tagger_knows_new_names_without_the_vectors(files: Path) -> None:
    crowd_file, vectors, out = (str(files / name) for name in ("crowd.jsonl", "vectors.txt", "run"))
    code, said = run("learn", crowd_file, "-o", out, "--vectors", vectors, "-q")
    assert code == 0, said
    assert "are used for the consensus and by the tagger: the text alone agrees" in said
    Path(vectors).unlink()
    tagger = crowdseq.load(out).tagger
    assert tagger is not None
    found = [tagger.tag(["then", word, "slept"])[1] for word in (*PEOPLE[SEEN:], *OTHERS[SEEN:])]
    assert found.count("B-PER") == found[:40].count("B-PER") >= 38
    entry = json.loads((files / "run" / "settings.json").read_text())["vectors"]
    assert (entry["words"], entry["dimensions"], entry["used"]) == (242, 6, "rounds and tagger")
    assert entry["coverage"] == {"tokens": 1.0, "marked_tokens": 1.0}


def test_threads_change_no_bit_of_a_run_with_vectors(files: Path, tmp_path: Path) -> None:
    made = []
    for threads in (1, 2):
        told: list[str] = []
        run_ = crowdseq.learn(
            crowd(),
            vectors=files / "vectors.txt",
            threads=threads,
            progress=lambda stage, *_, heard=told: heard.append(stage),
        )
        stages = ["reading word vectors", "clustering words", "without word vectors: EM rounds", "EM rounds"]
        assert [stage for stage in dict.fromkeys(told) if stage in stages] == stages
        assert isinstance(run_.tagger, crowdseq.Tagger)
        run_.tagger.save(tmp_path / f"tagger{threads}")
        weights = (tmp_path / f"tagger{threads}" / "weights.safetensors").read_bytes()
        made.append((run_.consensus.probabilities.tobytes(), weights))
        again = crowdseq.Tagger.load(tmp_path / f"tagger{threads}")
        sentence = ["then", PEOPLE[100].upper(), "slept"]
        assert again.marginals(sentence).tobytes() == run_.tagger.marginals(sentence).tobytes()
    assert made[0] == made[1]


def test_vectors_that_know_no_marked_word_leave_the_run_as_it_was(files: Path) -> None:
    (files / "strange.txt").write_text("".join(f"word{n} {n} 1 2\n" for n in range(50)) + "then 1 1 1\n")
    plain = crowdseq.learn(crowd(), progress=False)
    with_vectors = crowdseq.learn(crowd(), vectors=str(files / "strange.txt"), progress=False)
    assert with_vectors.consensus.probabilities.tobytes() == plain.consensus.probabilities.tobytes()
    assert isinstance(with_vectors.tagger, crowdseq.Tagger)
    assert with_vectors.tagger.features.knowledge == ()
    told = [remark.text for remark in with_vectors.remarks if remark.kind == "word-vectors"]
    assert len(told) == 1
    assert "0% of the marked ones are known) are not used: hardly any word" in told[0]


def test_own_text_tells_what_words_are_used_alike(files: Path) -> None:
    run_ = crowdseq.learn(crowd(), "majority-vote", unlabelled=[files / "text.txt"], progress=False)
    entry = run_.source["unlabelled"]
    # The crowd's own text counts too, and its sentences only once.
    assert entry["tokens"] == 3 * (3 * (120 - SEEN) + 4 * 120) + 3 * 2 * SEEN
    assert entry["used"] == "tagger"
    again = crowdseq.learn(crowd(), "majority-vote", unlabelled=[files / "text.txt"], progress=False)
    assert isinstance(run_.tagger, crowdseq.Tagger)
    assert isinstance(again.tagger, crowdseq.Tagger)
    sentence = ["then", PEOPLE[100], "slept"]
    assert again.tagger.marginals(sentence).tobytes() == run_.tagger.marginals(sentence).tobytes()


def test_rounds_kept_with_other_vectors_are_not_gone_on_with(files: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first = crowdseq.learn(crowd(), vectors=files / "vectors.txt", checkpoints=kept, progress=False)
    again = crowdseq.learn(crowd(), vectors=files / "vectors.txt", checkpoints=kept, progress=False)
    assert again.consensus.probabilities.tobytes() == first.consensus.probabilities.tobytes()
    (files / "vectors.txt").write_text(lines_of_vectors(swap=True))
    with pytest.raises(SettingsError, match="other data or settings"):
        crowdseq.learn(crowd(), vectors=files / "vectors.txt", checkpoints=kept, progress=False)


@dataclass
class Tried:
    """Learning that only notes what it was given; the text agrees by so much with vectors in the rounds."""

    agreement: float
    given: list[tuple[bool, bool]]

    def __call__(self, sources: tuple[KnowledgeSource, ...]) -> Learned:
        in_rounds = any(source.in_rounds is not None for source in sources)
        self.given.append((in_rounds, bool(sources)))
        parameters = {"text_agreement": self.agreement if in_rounds else 0.5}
        return Learned(SimpleNamespace(parameters=parameters), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agreement", "used", "last"),
    [
        (0.61, "rounds and tagger", (True, True)),
        (0.59, "tagger", (True, True)),
        (0.49, "nothing", (False, False)),
    ],
)
def test_what_is_used_follows_from_how_much_the_text_gains(
    agreement: float, used: str, last: tuple[bool, bool]
) -> None:
    table = {2: np.array([0, 1], np.uint16)}
    source = Clusters("vectors", ("a", "b"), table, (0,), ((2,), (0,)))
    entry = {"file": "v.txt", "words": 2, "coverage": {"tokens": 1.0, "marked_tokens": 1.0}}
    tried = Tried(agreement, [])
    choice = settle_knowledge(Knowledge((source,), {"vectors": entry}), tried, has_rounds=True)
    assert choice.knowledge.record["vectors"]["used"] == used
    assert tried.given[:2] == [(False, True), (True, True)]
    assert tried.given[-1] == last
    kept = [one.in_rounds is not None for one in choice.knowledge.sources]
    assert kept == {"rounds and tagger": [True], "tagger": [False], "nothing": []}[used]
    assert f"agrees with the consensus by {agreement:.3f} with them and 0.500 without" in (
        remarks_of_record(choice.knowledge.record)[0].text
    )


def test_an_installed_package_is_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_installed() is None:
        with pytest.raises(SettingsError, match="no package of word vectors is installed"):
            crowdseq.learn(crowd(), vectors="auto", progress=False)
    about = tmp_path / "site" / "aaa_vectors-2.1.dist-info"
    package = tmp_path / "site" / "aaa_vectors"
    about.mkdir(parents=True)
    package.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: aaa-vectors\nVersion: 2.1\n")
    (about / "entry_points.txt").write_text("[crowdseq.vectors]\nsmall = aaa_vectors:v.txt\n")
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (package / "v.txt").write_text(lines_of_vectors())
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    run_ = crowdseq.learn(crowd(), "majority-vote", vectors="auto", progress=False)
    assert run_.source["vectors"]["package"] == "aaa-vectors 2.1"
    assert "aaa_vectors" not in sys.modules
    assert any("aaa-vectors 2.1" in remark.text for remark in run_.remarks)


def test_faults_are_told_before_the_crowd_is_learned_from(files: Path) -> None:
    with pytest.raises(MissingFileError, match="no such file of word vectors"):
        crowdseq.learn(crowd(), vectors=files / "nothing.txt")
    with pytest.raises(MissingFileError, match="no such file"):
        crowdseq.learn(crowd(), unlabelled=[files / "nothing.txt"])
    for nothing in ({"vectors": ""}, {"unlabelled": [""]}):  # as of a variable of the shell that is not set
        with pytest.raises(MissingFileError, match="'': there is no such file"):
            crowdseq.learn(crowd(), **nothing)
    (files / "blank.txt").write_text("\n\n")
    with pytest.raises(FormatError, match=r"blank\.txt: holds no text"):
        crowdseq.learn(crowd(), unlabelled=[files / "text.txt", files / "blank.txt"])
    (files / "latin.txt").write_bytes(b"caf\xe9 met Ada\n")
    with pytest.raises(FormatError, match=r"latin\.txt:1: .*: write the file as UTF-8$"):
        crowdseq.learn(crowd(), unlabelled=[files / "latin.txt"])
    with pytest.raises(SettingsError, match="cannot use lexicons or word vectors"):
        crowdseq.learn(crowd(), "majority-vote", vectors=files / "vectors.txt", tagger=False)
    (files / "bad.txt").write_text("a 1 2\nb 1 nan\n")
    code, said = run(
        "learn", str(files / "crowd.jsonl"), "-o", str(files / "out"), "--vectors", str(files / "bad.txt")
    )
    assert code == 3
    assert "bad.txt:2: word 'b': has a number that is not finite" in said
    assert not (files / "out").exists()
