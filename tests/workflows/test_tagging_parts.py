"""tag over many files: a file for each, as if it had been tagged alone, and what is there can stay."""

from pathlib import Path

import pytest

import crowdseq
from crowdseq.errors import OutputExistsError, SettingsError, UsageError
from crowdseq.workflows.tagging import TagRequest, tag_text


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tagger") / "run"
    crowdseq.learn(crowdseq.demo_corpus()[:60], "majority-vote").save(folder)
    return str(folder)


def _texts(folder: Path) -> str:
    for number, text in enumerate(("Ada met Bo .\nBo left .\n", "Cy slept .\n")):
        (folder / f"part-{number}.txt").write_text(text)
    return str(folder / "part-*.txt")


def test_each_part_is_tagged_as_if_it_were_alone(tmp_path: Path, tagger: str) -> None:
    pattern, out = _texts(tmp_path), tmp_path / "tagged"
    tag_text(TagRequest(tagger=tagger, input=pattern, out=str(out)))
    for name in ("part-0.txt", "part-1.txt"):
        tag_text(
            TagRequest(tagger=tagger, input=str(tmp_path / name), out=str(tmp_path / "alone"), force=True)
        )
        assert (out / name).read_bytes() == (tmp_path / "alone").read_bytes()


def test_parts_that_are_there_stay_when_resumed(tmp_path: Path, tagger: str) -> None:
    pattern, out = _texts(tmp_path), tmp_path / "tagged"
    out.mkdir()
    (out / "part-0.txt").write_text("done before")
    with pytest.raises(OutputExistsError):
        tag_text(TagRequest(tagger=tagger, input=pattern, out=str(out)))
    assert not (out / "part-1.txt").exists()
    tag_text(TagRequest(tagger=tagger, input=pattern, out=str(out), resume=True))
    assert (out / "part-0.txt").read_text() == "done before"
    assert (out / "part-1.txt").exists()


def test_parts_need_a_folder_and_only_parts_are_resumed(tmp_path: Path, tagger: str) -> None:
    with pytest.raises(UsageError, match="folder"):
        tag_text(TagRequest(tagger=tagger, input=_texts(tmp_path)))
    with pytest.raises(SettingsError, match="pattern"):
        tag_text(TagRequest(tagger=tagger, input=str(tmp_path / "part-0.txt"), resume=True))
