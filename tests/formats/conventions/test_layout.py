"""What folders around files of columns mean."""

from pathlib import Path

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.formats import read


def written(folder: Path, *names: str) -> Corpus:
    """The corpus of files of one text, written below a folder by these names."""
    for number, name in enumerate(names):
        path = folder / "crowd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Ada {'B-PER' if number else 'O'}\nslept O\n\nBo B-PER\nleft O\n")
    return read(folder / "crowd").corpus


def test_one_document_in_the_folder_of_each_annotator_is_theirs(tmp_path: Path) -> None:
    """All files have one name and one text: by their names they would be one annotator, again and again."""
    corpus = written(tmp_path, "ada/doc1.conll", "bo/doc1.conll", "cy/doc1.conll")
    assert corpus.annotators == ("ada", "bo", "cy")
    assert len(corpus) == 2


@pytest.mark.parametrize("names", [("one/ada.conll", "two/bo.conll"), ("ada.conll", "bo.conll")])
def test_files_of_one_text_and_names_of_their_own_are_annotators(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    assert written(tmp_path, *names).annotators == ("ada", "bo")
