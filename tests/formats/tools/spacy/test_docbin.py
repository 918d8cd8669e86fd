"""spaCy DocBin: entities, groups of spans, what nobody looked at, damage, round trips."""

import sys
import tempfile
import warnings
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus
from corpus_worlds import crowds, with_labels
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, MissingExtraError
from crowdseq.formats import read, write
from crowdseq.formats.settings import Limits
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
    from spacy.tokens import Doc, DocBin, Span
    from spacy.vocab import Vocab

VOCAB = Vocab()


def packed(*docs: Any) -> bytes:
    return bytes(DocBin(docs=docs).to_bytes())


def doc(words: list[str], ents: list[tuple[int, int, str]] | None = None, **groups: Any) -> Any:
    made = Doc(VOCAB, words=words, spaces=[True] * (len(words) - 1) + [False])
    if ents is not None:
        made.set_ents([Span(made, start, end, label) for start, end, label in ents])
    for name, spans in groups.items():
        made.spans[name] = [Span(made, start, end, label) for start, end, label in spans]
    return made


def test_entities_of_a_lone_file_are_gold(put: Put) -> None:
    imported = read(
        put("d.spacy", packed(doc(["Ada", "Lovelace", "slept"], [(0, 2, "PER")]), doc(["Bo"], [])))
    )
    assert imported.report.files[0].format == "docbin"
    assert imported.corpus.gold[:] == [("B-PER", "I-PER", "O"), ("O",)]
    assert imported.corpus.sentences[0].extras["text"] == "Ada Lovelace slept"


def test_a_file_for_each_annotator_of_a_folder(put: Put) -> None:
    put("c/ann.spacy", packed(doc(["Ada"], [(0, 1, "PER")])))
    put("c/bob.spacy", packed(doc(["Ada"], [])))
    assert rows_of(read("c").corpus) == [("s1", "0", "Ada", "ann", "B-PER"), ("s1", "0", "Ada", "bob", "O")]


def test_a_document_that_nobody_looked_at_is_not_labelled(put: Put) -> None:
    imported = read(put("d.spacy", packed(doc(["Ada"], []), doc(["Bo"]))))
    assert imported.corpus.gold[:] == [("O",), None]
    assert imported.report.finding("documents-unlabelled") is not None


def test_groups_of_spans_may_overlap_and_are_read_on_request(put: Put) -> None:
    data = packed(doc(["New", "York", "City"], [(0, 1, "X")], sc=[(0, 2, "LOC"), (0, 3, "LOC")]))
    imported = read(put("d.spacy", data), layer="sc")
    assert imported.corpus.gold[0] == ("B-LOC", "I-LOC", "I-LOC")
    assert imported.report.finding("spans-overlap") is not None
    assert read("d.spacy").corpus.gold[0] == ("B-X", "O", "O")


@pytest.mark.parametrize(("groups", "there"), [({"sc": [(0, 1, "PER")]}, "sc"), ({}, "none at all")])
def test_a_group_that_is_not_there_is_named(faults: Faults, groups: dict[str, Any], there: str) -> None:
    found = faults("d.spacy", packed(doc(["Ada"], [(0, 1, "X")], **groups)), layer="Nope")
    hint = "correct layer=, or leave it out to read doc.ents"
    assert found == [f"d.spacy: there is no group of spans 'Nope', but {there}: {hint}"]


def test_of_a_crowd_in_one_file_no_layer_is_chosen(tmp_path: Path) -> None:
    write(corpus("Ada/B-PER/O"), tmp_path / "crowd.spacy")
    imported = read(tmp_path / "crowd.spacy", layer="Nope")
    assert imported.corpus.annotators == ("a1",)
    assert imported.report.finding("layer-unused") is not None


def test_the_only_group_is_read_and_of_several_one_must_be_chosen(put: Put, faults: Faults) -> None:
    assert read(put("d.spacy", packed(doc(["Ada"], sc=[(0, 1, "PER")])))).corpus.gold[0] == ("B-PER",)
    (found,) = faults("e.spacy", packed(doc(["Ada"], a=[(0, 1, "PER")], b=[])))
    assert found == "e.spacy: has no entities but several groups of spans (a, b), say layer= with one"


def test_damage_is_one_line(faults: Faults) -> None:
    whole = packed(doc(["Ada"], [(0, 1, "PER")]))
    inside = zlib.decompress(whole)
    for data in (whole[:20], b"x\x9cnonsense", zlib.compress(b"\x93"), zlib.compress(inside[:-5]), b""):
        (found, *_) = faults("d.spacy", data)
        assert found.startswith("d.spacy: not a DocBin")
        assert "\n" not in found


def test_a_bomb_is_refused(put: Put, faults: Faults) -> None:
    name = put("d.spacy", zlib.compress(b"\0" * (10 << 20)))
    (found,) = faults(name, limits=Limits(ratio_after=1 << 20))
    assert "unpacks to more than" in found


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)


@settings(max_examples=40)
@given(crowds(tokens=words, kinds=["spans"], unlabelled=False))
def test_a_docbin_holds_spans_of_a_crowd_and_gold(world: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.spacy"
        write(world, path)
        found = read(path, **with_labels(world)).corpus  # type: ignore[arg-type]
    described = [(s.id, s.doc, s.tokens) for s in world.sentences]
    assert [(s.id, s.doc, s.tokens) for s in found.sentences] == described
    assert found.annotations == world.annotations
    assert found.gold[:] == world.gold[:]


def test_the_text_of_the_user_is_kept_where_single_spaces_part_tokens(tmp_path: Path) -> None:
    world = read(own("two-annotators/brat")).corpus
    write(world, tmp_path / "c.spacy")
    found = read(tmp_path / "c.spacy").corpus
    assert rows_of(found) == expected_rows()
    assert [s.extras["text"] for s in found.sentences] == [s.extras["text"] for s in world.sentences]


def test_what_a_docbin_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="the labels are not spans, DocBin cannot hold them"):
        write(corpus("Ada/NOUN", scheme="plain"), tmp_path / "c.spacy")
    assert not (tmp_path / "c.spacy").exists()


def test_a_missing_extra_is_one_line(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    name = put("d.spacy", packed(doc(["Ada"], [])))
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"DocBin needs an extra: pip install 'crowdseq\[spacy\]'"):
        read(name)


def test_a_docbin_is_told_by_what_is_in_it(put: Put, tmp_path: Path) -> None:
    write(corpus("Ada/B-PER/O"), tmp_path / "crowd", format="docbin")
    assert read(tmp_path / "crowd").report.files[0].format == "docbin"
    assert read(put("gold", packed(doc(["Ada"], [(0, 1, "PER")])))).corpus.gold[0] == ("B-PER",)


def test_other_packed_bytes_are_no_docbin(faults: Faults) -> None:
    (found,) = faults("packed", zlib.compress(bytes(range(256)) * 40))
    assert "is neither text nor a binary format that is known here" in found
