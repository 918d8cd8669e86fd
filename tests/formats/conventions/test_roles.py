"""Which file of a folder is gold: one rule, whatever the tool."""

import json
from pathlib import Path
from typing import Any

import pytest

from builders import corpus
from crowdseq.core.corpus import Corpus
from crowdseq.formats import read, write
from crowdseq.formats.conventions.roles import GOLD_STEMS, file_names

TSV = """#FORMAT=WebAnno TSV 3.3
#T_SP=ner|value


#Text=Ada met
1-1\t0-3\tAda\tPER\t
1-2\t4-7\tmet\t_\t
"""
CONLL = "Ada O\nmet O\nBo B-PER\n\n"
CONLL_U = "1\tAda\tada\tX\t_\t_\t0\troot\t_\tNER=B-PER\n2\tmet\tmeet\tX\t_\t_\t1\tx\t_\tNER=O\n\n"
LABEL_STUDIO = "-DOCSTART- -X- O\nAda -X- _ B-PER\nmet -X- _ O\n\n"
DOCCANO = json.dumps({"id": 1, "text": "Ada met", "label": [[0, 3, "PER"]]}) + "\n"
PRODIGY = json.dumps({"text": "Ada met", "_input_hash": 1, "spans": [], "answer": "accept"}) + "\n"
CAS = json.dumps(
    {
        "%TYPES": {"ner": {"%NAME": "ner", "%SUPER_TYPE": "uima.tcas.Annotation"}},
        "%FEATURE_STRUCTURES": [
            {
                "%ID": 1,
                "%TYPE": "uima.cas.Sofa",
                "sofaNum": 1,
                "sofaID": "_InitialView",
                "sofaString": "Ada met",
            },
            {"%ID": 2, "%TYPE": "ner", "@sofa": 1, "begin": 0, "end": 3},
        ],
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2]}},
    }
)
# By format: the files of a folder that one person left, {} standing for the person.
FOLDERS: dict[str, dict[str, str]] = {
    "conll": {"{}.conll": CONLL},
    "conll-u": {"{}.conllu": CONLL_U},
    "label-studio-conll": {"{}.conll": LABEL_STUDIO},
    "doccano": {"{}.jsonl": DOCCANO},
    "prodigy": {"{}.jsonl": PRODIGY},
    "brat": {"{}/d.txt": "Ada met", "{}/d.ann": "T1\tPER 0 3\tAda\n"},
    "inception": {"{}.tsv": TSV},
    "inception (CAS)": {"{}.json": CAS},
}


def folder_of(tmp_path: Path, form: str, people: list[str]) -> Path:
    for person in people:
        for name, content in FOLDERS[form].items():
            path = tmp_path / "crowd" / name.format(person)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    return tmp_path / "crowd"


@pytest.mark.parametrize("stem", ["gold", "curator", "CURATION_USER", "Consensus"])
@pytest.mark.parametrize("form", FOLDERS)
def test_what_everybody_agreed_on_is_gold_in_every_format(tmp_path: Path, form: str, stem: str) -> None:
    found = read(folder_of(tmp_path, form, ["w1", stem, "w2"])).corpus
    assert found.annotators == ("w1", "w2")
    assert found.has_gold.all()


def docbins(tmp_path: Path, stem: str) -> Path:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
    (tmp_path / "crowd").mkdir()
    doc = spacy.tokens.Doc(spacy.vocab.Vocab(), words=["Ada", "met"])
    doc.set_ents([spacy.tokens.Span(doc, 0, 1, label="PER")])
    for person in ("w1", stem):
        spacy.tokens.DocBin(docs=[doc]).to_disk(tmp_path / "crowd" / f"{person}.spacy")
    return tmp_path / "crowd"


@pytest.mark.parametrize("stem", sorted(GOLD_STEMS))
def test_docbins_in_a_folder_follow_the_rule(tmp_path: Path, stem: str) -> None:
    found = read(docbins(tmp_path, stem)).corpus
    assert (found.annotators, found.has_gold.tolist()) == (("w1",), [True])


@pytest.mark.parametrize("stem", sorted(GOLD_STEMS))
def test_tables_of_a_dataset_follow_the_rule(tmp_path: Path, stem: str) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: arrow)")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "w1").mkdir()
    table = arrow.table({"id": ["s1"], "tokens": [["Ada"]], "ner_tags": [["B-PER"]]})
    for part in ("part", stem):
        parquet.write_table(table, tmp_path / "w1" / f"{part}.parquet")
    found = read(tmp_path / "w1", files_mean="annotator").corpus
    assert (found.annotators, found.has_gold.tolist()) == (("w1",), [True])


def test_a_lone_file_called_gold_is_gold_though_files_mean_annotators(tmp_path: Path) -> None:
    for name in ("w1.conll", "consensus.conll"):
        (tmp_path / name).write_text(CONLL, encoding="utf-8")
    found = read([tmp_path / "w1.conll", tmp_path / "consensus.conll"], files_mean="annotator").corpus
    assert found.annotators == ("w1",)


def written_and_read(tmp_path: Path, world: Corpus, form: str, **settings: Any) -> Corpus:
    write(world, tmp_path / form, form)
    return read(tmp_path / form, **settings).corpus


@pytest.mark.parametrize("form", ["conll-folder", "doccano"])
def test_an_annotator_who_is_called_like_gold_comes_back_as_an_annotator(tmp_path: Path, form: str) -> None:
    world = corpus("Ada/B-PER/B-PER/B-PER met/O/O/O", annotators=["curator", "Consensus"])
    assert set(written_and_read(tmp_path, world, form).annotators) == {"Consensus", "curator"}


def test_no_annotator_is_written_into_a_file_of_gold(tmp_path: Path) -> None:
    names = file_names(["ana", "gold", "Curator", "curation_user", "../x"])
    assert names["ana"] == "ana"
    assert not GOLD_STEMS & {name.lower() for name in names.values()}
    world = corpus("Ada/B-PER/B-PER/B-PER met/O/O/O", annotators=["curator", "bo"])
    assert len(written_and_read(tmp_path, world, "brat", tokenizer="whitespace").annotators) == 2
