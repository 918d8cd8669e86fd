"""Every sample export is read, or refused with the reason that the manual gives."""

from pathlib import Path
from typing import Any

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats import read
from crowdseq.workflows.reading import read_names
from tool_samples import expected_rows, own, rows_of, sample

SYNTHETIC = "synthetic-two-annotators"
NUMBERS = "old,new\n11,ann1\n12,ann2\n1,d1,document\n2,d2,document\n"
# Twelve forms of the same two documents, and what each tool calls them and their annotators.
FORMS = {
    "label-studio/export.json": NUMBERS,
    "label-studio/export.JSON_MIN.json": NUMBERS,
    "doccano": "1,d1,document\n2,d2,document\n",
    "argilla/records.to_list.json": "00000000-0000-0000-0000-00000000000b,ann1\n"
    "00000000-0000-0000-0000-00000000000c,ann2\n",
    "argilla/records.to_list.flatten.json": "00000000-0000-0000-0000-00000000000b,ann1\n"
    "00000000-0000-0000-0000-00000000000c,ann2\n",
    "prodigy": "proj-ann1,ann1\nproj-ann2,ann2\n1001,d1,document\n1002,d2,document\n",
    "brat": "",
    "inception": "",
    "uima-cas-json": "",
    "conll": "s1,d1,document\ns2,d2,document\n",
    "mturk": "Wann1,ann1\nWann2,ann2\n",
    "crowd-kit": "",
}
# All others: settings, and the reason of a refusal or what is read (sentences, annotators, with gold).
OTHERS: dict[str, tuple[dict[str, Any], str | tuple[int, int, int]]] = {
    f"{SYNTHETIC}/label-studio/export.CONLL2003.conll": ({}, "export JSON"),
    f"{SYNTHETIC}/label-studio/config.xml": ({}, "is a labelling interface of Label Studio"),
    "brat/two-annotators": ({"sentences": "document"}, (1, 2, 0)),
    "brat/two-annotators-ann-only": ({}, "its text is missing: put data-sample-2.txt beside it"),
    "doccano/export-relation-extraction.pretty-printed.jsonl": ({}, (1, 1, 0)),
    "doccano/export-sequence-labeling.jsonl": ({}, (3, 1, 0)),
    "doccano/import-sequence-labeling.conll.txt": ({}, (2, 0, 2)),
    "doccano/import-sequence-labeling.jsonl": ({}, "if this is a tool's export, name it with format="),
    "inception/conll2006": ({}, "holds no labels: no NER= in MISC and no column behind it"),
    "inception/tsv3.3-edge/testAnnotationWithLeadingWhitespace.tsv": ({}, (1, 0, 1)),
    "inception/tsv3.3-edge/testMultiTokenStackedSpanWithFeatureValue.tsv": (
        {},
        "the span 0-16 has several labels (PERSON, LOCATION)",
    ),
    "inception/tsv3.3-edge/testSentenceWithEmoji.tsv": ({}, (1, 0, 1)),
    "inception/tsv3.3-edge/testSubMultiTokenSpanWithFeatureValue.tsv": ({}, (1, 0, 1)),
    "inception/tsv3.3-edge/testTokenBoundedSpanWithSpecialSymbolsValue.tsv": (
        {},
        "holds a control character, remove it",
    ),
    "inception/tsv3.3-edge/testZeroLengthSpanBetweenAdjacentTokens.tsv": ({}, (1, 0, 1)),
    "inception/tsv3.3/multipleStackedAnnotationsAreNotMergedTest": ({}, "has several labels (ORG, ORGpart)"),
    "inception/tsv3.3/simpleSpanDiffIncompleteTest": ({}, (1, 2, 0)),
    "inception/tsv3.3/simpleSpanDiffWithLabelStackingTest": ({}, (1, 2, 0)),
    "inception/tsv3.3/simpleSpanDiffWithLabelTest": ({}, (1, 2, 0)),
    "inception/tsv3.3/simpleSpanNoDiffWithLabelTest": ({}, (1, 2, 1)),
    "label-studio/completed_by-as-object.json": ({}, "holds an address"),
    "label-studio/completed_by-unknown-user.json": ({}, "holds an address"),
    "label-studio/ner-labeling-config.xml": ({}, "is a labelling interface of Label Studio"),
    "label-studio/ner-text-labels-one-annotation.json": ({}, (6, 1, 0)),
    "prodigy/ner_manual-headlines-first3.jsonl": ({}, (3, 1, 0)),
    "uima-cas-json/casWithEmojiUnicodeTextAndAnnotations.json": ({}, (1, 0, 1)),
    "uima-cas-json/casWithTextAndAnnotations.json": ({}, (1, 0, 1)),
    "uima-cas-json/casWithTraditionalChineseTextAndAnnotations.json": ({}, (1, 0, 1)),
    "uima-cas-json/tsv3-testSimpleSlotFeature.json": (
        {},
        "there are several layers (SimpleLinkHost, SimpleSpan)",
    ),
}
# What was refused, with the option that its message names.
WAYS_OUT: dict[str, tuple[dict[str, Any], tuple[int, int, int]]] = {
    f"{SYNTHETIC}/label-studio/export.CONLL2003.conll": ({"format": "conll"}, (4, 0, 4)),
    "doccano/import-sequence-labeling.jsonl": (
        {"format": "doccano", "text_field": "column_data", "layer": "column_label"},
        (3, 1, 0),
    ),
    "inception/conll2006": ({"columns": ("upos",)}, (1, 2, 0)),
    "inception/tsv3.3-edge/testMultiTokenStackedSpanWithFeatureValue.tsv": (
        {"several_labels": "joined"},
        (1, 0, 1),
    ),
    "inception/tsv3.3/multipleStackedAnnotationsAreNotMergedTest": ({"types": ("ORG",)}, (1, 2, 0)),
    "uima-cas-json/tsv3-testSimpleSlotFeature.json": ({"layer": "SimpleSpan"}, (1, 0, 1)),
}


@pytest.mark.parametrize("form", [*FORMS, "label-studio/export.csv"])
def test_our_own_two_documents_give_the_expected_table(form: str, tmp_path: Path) -> None:
    check_two_documents(own("two-annotators"), form, tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_the_two_documents_give_the_expected_table(form: str, tmp_path: Path) -> None:
    check_two_documents(sample(SYNTHETIC), form, tmp_path)


def check_two_documents(folder: Path, form: str, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text(FORMS.get(form, NUMBERS))
    names, documents = read_names(str(tmp_path / "names.csv"))
    found = read(folder / form, names=names, documents=documents).corpus
    expected = expected_rows(folder)
    if form == "crowd-kit":  # which has no tokens
        expected = sorted((doc, place, f"{doc}:{place}", who, tag) for doc, place, _, who, tag in expected)
    assert rows_of(found, by_id=True) == expected
    assert len(expected) == 34


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_sample_is_read_or_refused_with_its_reason(name: str) -> None:
    settings, outcome = OTHERS[name]
    if isinstance(outcome, str):
        with pytest.raises(FormatError) as caught:
            read(sample(name), **settings)
        assert outcome in str(caught.value)
    else:
        assert shape(name, settings) == outcome


@pytest.mark.parametrize("name", WAYS_OUT)
def test_the_way_out_that_a_refusal_names_is_one(name: str) -> None:
    settings, outcome = WAYS_OUT[name]
    assert shape(name, settings) == outcome


def shape(name: str, settings: dict[str, Any]) -> tuple[int, int, int]:
    """Sentences, annotators, sentences with gold."""
    found = read(sample(name), **settings).corpus
    return len(found), len(found.annotators), int(found.has_gold.sum())


def test_no_sample_was_forgotten() -> None:
    folder = sample("README.md").parent
    known = {f"{SYNTHETIC}/{form}" for form in FORMS} | OTHERS.keys()
    known |= {"README.md", f"{SYNTHETIC}/expected-long.csv"}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            assert any(name == one or name.startswith(f"{one}/") for one in known), name
