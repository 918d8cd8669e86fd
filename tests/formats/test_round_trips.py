"""What is written is read back, whatever is in it, however it is wrapped."""

import codecs
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import CrowdseqError
from crowdseq.formats import list_formats, read, write
from strategies import corpora

TAGS = {
    "IOB2": ["O", "B-PER", "I-PER", "B-a b", "I-a b"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X"],
    "plain": ["NOUN", "VERB", "名詞", "a|b"],
}
KINDS_HELD = ("IO", "IOB2", "BIOES", "BILOU", "plain")  # IOB1 is read as IOB2
any_text = st.text(max_size=6)
names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8).filter(
    str.strip
)
plain_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | any_text
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(any_text, inner, max_size=2),
    max_leaves=4,
)
own_keys = ("id", "doc", "tokens", "gold", "annotations", "columns", "crowdseq")
extra_keys = any_text.filter(lambda key: key not in own_keys)


def column_text(label: str) -> st.SearchStrategy[str]:
    """Text that can stand in a column."""
    forbidden = ("-DOCSTART-", "# columns:", "# sentence:", "\ufeff")
    characters = st.characters(codec="utf-8", exclude_characters="\t\r\n")
    return st.text(characters, min_size=1, max_size=6).filter(
        lambda text: text != label and not text.startswith(forbidden)
    )


@st.composite
def worlds(draw: st.DrawFn, *, tokens: st.SearchStrategy[str] = any_text, in_columns: bool = False) -> Corpus:
    """Corpora of any text, with documents, columns, extra keys, absent annotators and unlabelled tokens."""
    kind = draw(st.sampled_from(list(TAGS)))
    annotators = draw(st.lists(names, max_size=3, unique=True))
    pos = draw(st.booleans())
    builder = CorpusBuilder()
    for number in range(draw(st.integers(0, 4))):
        words = draw(st.lists(tokens, max_size=4, min_size=1 if in_columns else 0))
        tags = st.lists(st.sampled_from([*TAGS[kind], None]), min_size=len(words), max_size=len(words))
        if in_columns:  # a row that says nothing cannot be told from an absent one
            tags = tags.filter(lambda row: any(row))
        columns = st.lists(
            column_text("") if in_columns else any_text, min_size=len(words), max_size=len(words)
        )
        builder.add(
            Record(
                words,
                f"{draw(any_text)}{number}",
                draw(st.none() | names),
                {name: draw(tags) for name in annotators if draw(st.booleans())},
                draw(st.none() | tags),
                {"pos": draw(columns)} if pos else {},
                draw(st.dictionaries(extra_keys, plain_json, max_size=2)),
            )
        )
    return builder.build(kind)


def there_and_back(world: Corpus, name: str, **changes: Any) -> Corpus:
    """Written into an empty folder and read again, held to the same labels."""
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / name, **changes)
        return held_to(world, Path(folder) / name)


def held_to(world: Corpus, path: Path | bytes) -> Corpus:
    labels = {"labels": world.scheme.tags} if len(world.scheme) else {}
    return read(path, scheme=world.scheme.kind, **labels).corpus  # type: ignore[arg-type]


@given(worlds())
def test_jsonl_holds_everything(world: Corpus) -> None:
    assert there_and_back(world, "c.jsonl") == world


@given(worlds())
def test_packed_jsonl_holds_everything(world: Corpus) -> None:
    assert there_and_back(world, "c.jsonl.gz") == world


@given(corpora(kinds=KINDS_HELD))
def test_jsonl_holds_crowds_of_every_scheme(world: Corpus) -> None:
    assert there_and_back(world, "c.jsonl") == world


@given(worlds(tokens=column_text("?"), in_columns=True).filter(lambda world: bool(world.annotators)))
def test_columns_hold_a_crowd_with_ids_documents_and_extra_keys(world: Corpus) -> None:
    assert there_and_back(world, "c.conll") == world


@given(worlds(tokens=column_text("?"), in_columns=True).filter(lambda world: bool(world.annotators)))
def test_a_folder_of_columns_holds_a_crowd(world: Corpus) -> None:
    assert there_and_back(world, "crowd", format="conll-folder") == world


@given(worlds(tokens=column_text("?"), in_columns=True))
def test_plain_columns_hold_tokens_gold_and_bounds_of_documents(world: Corpus) -> None:
    gold_only = world.keep_annotators([])
    found = there_and_back(gold_only, "c.conll")
    assert [s.tokens for s in found.sentences] == [s.tokens for s in world.sentences]
    assert found.gold[:] == world.gold[:]
    assert [s.columns for s in found.sentences] == [
        {f"column{n}": c for n, c in enumerate(s.columns.values(), 2)} for s in world.sentences
    ]
    assert there_and_back(found, "d.conll") == found


@given(worlds(), st.sampled_from(["array", "pretty", "crlf", "mark", "packed", "utf-16"]))
def test_the_wrapping_does_not_matter(world: Corpus, wrapping: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / "c.jsonl")
        lines = (Path(folder) / "c.jsonl").read_bytes()
    objects = [json.loads(line) for line in lines.decode().split("\n") if line]
    if not objects:
        return
    wrapped = {
        "array": json.dumps(objects, indent=1).encode(),
        "pretty": "\n".join(json.dumps(item, indent=2) for item in objects).encode(),
        "crlf": lines.replace(b"\n", b"\r\n"),
        "mark": codecs.BOM_UTF8 + lines,
        "packed": gzip.compress(lines),
        "utf-16": lines.decode().encode("utf-16"),
    }[wrapping]
    encoding = "utf-16" if wrapping == "utf-16" else None
    labels = world.scheme.tags or None
    assert read(wrapped, scheme=world.scheme.kind, labels=labels, encoding=encoding).corpus == world


@given(worlds(), st.randoms(use_true_random=False))
def test_annotators_in_files_of_their_own_come_together_in_any_order(world: Corpus, dice: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(world.without_gold().keep_annotators([]), folder / "0-text.jsonl")
        write(world.keep_annotators([]), folder / "gold.jsonl")
        for number, annotator in enumerate(world.annotators):
            write(world.without_gold().keep_annotators([annotator]), folder / f"w{number}.jsonl")
        files = sorted(folder.glob("[!.]*"))
        dice.shuffle(files)
        labels = world.scheme.tags or None
        assert read(files, scheme=world.scheme.kind, labels=labels).corpus == world


def _cut(data: bytes, place: int, _: bytes) -> bytes:
    return data[:place]


def _lose(data: bytes, place: int, _: bytes) -> bytes:
    return data[:place] + data[place + 1 :]


def _swap(data: bytes, place: int, other: bytes) -> bytes:
    return data[:place] + other + data[place + 1 :]


def _insert(data: bytes, place: int, other: bytes) -> bytes:
    return data[:place] + other + data[place:]


@given(st.binary(max_size=300), st.sampled_from([form.name for form in list_formats() if form.read]))
def test_no_bytes_bring_down_a_reader(data: bytes, form: str) -> None:
    for settings_given in ({}, {"on_error": "skip"}, {"encoding": "latin-1"}):
        try:
            read(data, format=form, **settings_given)  # type: ignore[arg-type]
        except CrowdseqError as error:
            assert str(error)  # noqa: PT017


@pytest.mark.parametrize("name", ["c.jsonl", "c.conll", "c.jsonl.gz"])
@given(
    world=worlds(tokens=column_text("?"), in_columns=True),
    change=st.sampled_from([_cut, _lose, _swap, _insert]),
    where=st.floats(0, 1),
    other=st.sampled_from(
        [b"\0", b"\n", b"\r", b'"', b"{", b"]", b"\\", b"\xe9", b"\xf0\x9f", b"\t", b"?", b"NaN"]
    ),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_no_damage_to_a_good_file_brings_down_a_reader(
    name: str, world: Corpus, change: Callable[[bytes, int, bytes], bytes], where: float, other: bytes
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(world, path)
        data = path.read_bytes()
        path.write_bytes(change(data, int(where * len(data)), other))
        try:
            found = read(path, on_error="skip")
            assert len(found.corpus) + found.report.n_rejected <= len(world) + 2
        except CrowdseqError as error:
            assert str(error)  # noqa: PT017


@given(st.lists(st.booleans(), max_size=12))
def test_every_record_is_kept_or_set_aside(good: list[bool]) -> None:
    line = '{{"id": "s{}", "tokens": ["a"], "gold": {}}}'
    text = "\n".join(line.format(number, '["O"]' if is_good else "[]") for number, is_good in enumerate(good))
    imported = read(text.encode(), format="jsonl", on_error="skip")
    assert [s.id for s in imported.corpus.sentences] == [f"s{n}" for n, is_good in enumerate(good) if is_good]
    assert [rejected.line - 1 for rejected in imported.report.rejected] == [
        n for n, is_good in enumerate(good) if not is_good
    ]
