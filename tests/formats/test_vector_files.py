"""Files of word vectors: every form gives the same words and numbers, and every fault one clear line."""

import gzip
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from crowdseq.errors import FormatError
from crowdseq.formats.knowledge import vector_text
from crowdseq.formats.knowledge.vectors import read_vectors
from crowdseq.formats.table_io.arrow import library

WORDS = ["the", "Zürich", "0.5", "a"]
ROWS = np.array([[1, -2, 0.5], [0.25, 3, 4], [-1, 0, 1e-3], [2, 2, 2]], np.float32)
LINES = [f"{word} {' '.join(map(repr, row.tolist()))}" for word, row in zip(WORDS, ROWS, strict=True)]


def text(folder: Path) -> Path:
    return written(folder / "glove.txt", "\n".join(LINES) + "\n")


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def with_header(folder: Path) -> Path:
    # fastText ends its lines with a space
    return written(folder / "v.vec", "4 3\n" + "".join(f"{line} \n" for line in LINES))


def packed(folder: Path) -> Path:
    return written(folder / "v.txt.gz", gzip.compress(text(folder).read_bytes()))


def binary(folder: Path) -> Path:
    body = [
        f"{word} ".encode() + struct.pack("<3f", *row) + b"\n" for word, row in zip(WORDS, ROWS, strict=True)
    ]
    return written(folder / "v.bin", b"4 3\n" + b"".join(body))


def words_file(folder: Path) -> Path:
    return written(folder / "words.txt", "\n".join(WORDS) + "\n")


def npy(folder: Path) -> str:
    np.save(folder / "v.npy", ROWS.astype(np.float64))
    return f"{folder / 'v.npy'}+{words_file(folder)}"


def tensors(folder: Path) -> str:
    save_file({"vectors": ROWS}, str(folder / "v.safetensors"))
    return f"{folder / 'v.safetensors'}+{words_file(folder)}"


def tensors_with_words(folder: Path) -> Path:
    words = np.frombuffer("\n".join(WORDS).encode(), np.uint8)
    save_file({"vectors": ROWS, "words": words}, str(folder / "v.safetensors"))
    return folder / "v.safetensors"


def parquet(folder: Path) -> Path:
    arrow = library()
    table = arrow.table({"word": WORDS, "vector": ROWS.tolist()})
    arrow.parquet.write_table(table, folder / "v.parquet")
    return folder / "v.parquet"


def parquet_of_columns(folder: Path) -> Path:
    arrow = library()
    table = arrow.table({"token": WORDS, **{f"d{n}": ROWS[:, n] for n in range(3)}})
    arrow.parquet.write_table(table, folder / "v.parquet")
    return folder / "v.parquet"


def npy_beside_parquet(folder: Path) -> str:
    arrow = library()
    np.save(folder / "v.npy", ROWS)
    arrow.parquet.write_table(arrow.table({"index": WORDS}), folder / "words.parquet")
    return f"{folder / 'v.npy'}+{folder / 'words.parquet'}"


def spacy_model(folder: Path) -> Path:
    spacy = pytest.importorskip("spacy")
    model = spacy.blank("en")
    for word, row in zip(WORDS, ROWS, strict=True):
        model.vocab.set_vector(word, row)
    (folder / "en_x").mkdir()
    model.to_disk(folder / "en_x" / "en_x-1.0")
    return folder / "en_x"


FORMS = [
    text, with_header, packed, binary, npy, tensors, tensors_with_words, parquet, parquet_of_columns,
    npy_beside_parquet, spacy_model,
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(form, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    found = read_vectors(str(form(tmp_path)))
    assert list(found.words) == WORDS
    assert np.allclose(found.rows, ROWS, rtol=1e-6)
    assert found.rows.dtype == np.float32
    assert len(found.sha256) == 64
    assert not found.is_cut


def test_a_word_may_have_spaces(tmp_path: Path) -> None:
    found = read_vectors(str(written(tmp_path / "v", "\n".join([*LINES, ". . . 1 2 3"]))))
    assert found.words[-1] == ". . ."
    assert found.rows[-1].tolist() == [1, 2, 3]


def test_a_longer_file_than_is_held_is_read_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_text, "MOST_NUMBERS", 7)
    for form in (text, with_header, binary):
        found = read_vectors(str(form(tmp_path)))
        assert list(found.words) == WORDS[:2]
        assert found.is_cut


BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "ragged": (f"{LINES[0]}\n{LINES[1]} 9\n", "ragged:2: has 4 numbers where other lines have 3"),
    "short": (f"{LINES[0]}\nb 1 2\n", "short:2: has 2 numbers where other lines have 3"),
    "header": (f"4 2\n{LINES[0]}\n", "header:2: has 3 numbers where other lines have 2"),
    "cut off": (f"9 3\n{LINES[0]}\n", "promises 9 words and 1 follow"),
    "no number": (f"{LINES[0]}\nb 1 x 3\n", "no number:2: 'x' is no number"),
    "nan": (f"{LINES[0]}\nb 1 nan 3\n", "nan:2: word 'b': has a number that is not finite"),
    "inf": (f"2 3\n{LINES[0]}\nb 1 -inf 3\n", "inf:3: word 'b': has a number that is not finite"),
    "twice": (
        f"{LINES[0]}\n{LINES[1]}\n{LINES[0]}\n",
        "twice:3: word 'the': stands there twice (line 1 too)",
    ),
    "prose": ("It was a dark and stormy night;\n", "prose:1: the first line has 0 numbers after its word"),
    "jsonl": ('{"tokens": ["a", "b"]}\n' * 9, "this is no file of word vectors"),
    "latin": (f"{LINES[0]}\n".encode() + b"caf\xe9 1 2 3\n", "('é'): write the file as UTF-8"),
    "wide": ("the 1 2 3\n".encode("utf-16"), "wide:1: "),
    "one word": ("word\n", "0 numbers after its word"),
    "binary cut": (b"4 3\nthe \x01\x02\xff\xfe", "ends in word 1,"),
    "pickle": (
        pickle.dumps({"the": [1.0, 2.0]}),
        "pickle: is a pickle, which may run code when it is opened",
    ),
    "zip": (b"PK\3\4\x14\0\0\0", "is a zip archive, unpack it"),
    "fasttext": (b"\xba\x16\x4f\x2f\x0c\0\0\0", "is a model of fastText in its own form"),
    "old pickle": (pickle.dumps({"the": [1.0]}, 2), "is a pickle, which may run code"),
    "npy": (b"\x93NUMPY\x01\x00junk", "is no whole npy file"),
    "tensors": (b"\x08\x00\x00\x00\x00\x00\x00\x00{junk___", "is no whole safetensors file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_told_by_place(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, said = BAD[name]
    written(tmp_path / name, content)
    with pytest.raises(FormatError) as caught:
        read_vectors(name)
    assert said in str(caught.value)
    assert len(caught.value.problems) == 1
    assert "encoding" not in str(caught.value)  # the option is about the crowd


def test_words_of_another_encoding_are_told_before_they_are_counted(tmp_path: Path) -> None:
    place = npy(tmp_path)
    (tmp_path / "words.txt").write_bytes(b"the\nZ\xfcrich\n0.5\na\n")
    with pytest.raises(FormatError, match=r"words\.txt:2: .* write the file as UTF-8$"):
        read_vectors(place)


@pytest.mark.parametrize(
    ("words", "rows", "said"),
    [
        (["a", None], [[1.0, 2.0], [3.0, 4.0]], "row 2: has no word"),
        (["a", "b"], [[1.0, 2.0], None], "row 2: has 0 numbers where other rows have 2"),
        (["a", "b"], [[1.0, 2.0], [3.0]], "row 2: has 1 numbers where other rows have 2"),
        (["a", "b"], [[1.0, 2.0], [3.0, None]], "word 'b': has a number that is not finite"),
    ],
)
def test_a_gap_in_a_table_is_told_by_row(
    words: list[str | None], rows: list[list[float] | None], said: str, tmp_path: Path
) -> None:
    arrow = library()
    path = tmp_path / "v.parquet"
    arrow.parquet.write_table(arrow.table({"word": words, "vector": rows}), path)
    with pytest.raises(FormatError, match=said):
        read_vectors(str(path))


def test_arrays_must_fit_their_words(tmp_path: Path) -> None:
    place = npy(tmp_path)
    words_file(tmp_path).write_text("the\nof\n")
    with pytest.raises(FormatError, match="has 2 words for the 4 vectors"):
        read_vectors(place)
    with pytest.raises(FormatError, match="has numbers and no words"):
        read_vectors(str(tmp_path / "v.npy"))
    np.save(tmp_path / "v.npy", ROWS[0])
    with pytest.raises(FormatError, match="a table of numbers"):
        read_vectors(place)
    np.save(tmp_path / "v.npy", np.array([[{}]], dtype=object))
    with pytest.raises(FormatError, match="is no whole npy file"):
        read_vectors(place)


def test_a_file_with_words_needs_no_other(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="has its words already"):
        read_vectors(f"{text(tmp_path)}+{words_file(tmp_path)}")


def test_a_folder_without_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no spaCy model with word vectors"):
        read_vectors(str(tmp_path))
