"""WebAnno TSV 3.3: INCEpTION's own cases, escapes, offsets, and what is refused."""

import pytest

from crowdseq.formats import read
from crowdseq.formats.tools.inception.webanno_parsing import Value, unescaped_text, values_of
from file_fixtures import Faults, Put

HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ner|value\n\n\n"
ADA = f"{HEAD}#Text=Ada slept\n1-1\t0-3\tAda\tPER\t\n1-2\t4-9\tslept\t_\t\n"


SPAN = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Span|value\n\n\n"
# The hard cases of the form, as INCEpTION writes them.
STACKED = f"""{SPAN}#Text=Old Mill Road 7 .
1-1\t0-3\tOld\tPERSON[1]|LOCATION[2]\t
1-2\t4-8\tMill\tPERSON[1]|LOCATION[2]\t
1-3\t9-13\tRoad\tPERSON[1]|LOCATION[2]\t
1-4\t14-15\t7\tPERSON[1]|LOCATION[2]\t
1-5\t16-17\t.\tPERSON[1]|LOCATION[2]\t
"""
EMOJI = (
    f"{SPAN}#Text=an owl 🦉 .\n1-1\t0-2\tan\t_\t\n1-2\t3-6\towl\t_\t\n1-3\t7-9\t🦉\t*\t\n1-4\t10-11\t.\t_\t\n"
)
PARTS = f"""{SPAN}#Text=oooooo pppppp qqqqqq
1-1\t0-6\toooooo\t2[1]|7[2]|1[3]\t
1-1.1\t3-6\tooo\t9[4]|6[5]|8[6]\t
1-2\t7-13\tpppppp\t2[1]|9[4]|6[5]\t
1-2.1\t7-10\tppp\t7[2]|8[6]\t
1-2.2\t7-11\tpppp\t4\t
1-2.3\t7-7\t\t11\t
1-2.4\t9-13\tpppp\t5\t
1-2.5\t9-11\tpp\t3\t
1-2.6\t10-10\t\t10\t
1-2.7\t13-13\t\t12\t
1-3\t14-20\tqqqqqq\t_\t
1-3.1\t14-17\tqqq\t9[4]\t
"""
LEADING_SPACE = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ner|identifier|value\n\n\n"
    "#Text=red  boat\n1-1\t0-3\tred\t_\t_\t\n1-2\t5-9\tboat\t*\t*\t\n"
)
BETWEEN = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Simple|\n\n\n"
    "#Text=gate.\n1-1\t0-4\tgate\t_\t\n1-1.1\t4-4\t\t*\t\n1-2\t4-5\t.\t_\t\n"
)


def test_a_lone_file_is_gold_and_its_name_the_document(put: Put) -> None:
    imported = read(put("d1.tsv", ADA))
    assert imported.report.files[0].format == "webanno-tsv"
    (sentence,) = imported.corpus.sentences
    assert (sentence.id, sentence.tokens) == ("d1", ("Ada", "slept"))
    assert imported.corpus.gold[0] == ("B-PER", "O")


def test_lone_files_of_annotators_join_by_their_text(put: Put, faults: Faults) -> None:
    files = [put("ann.tsv", ADA), put("bob.tsv", ADA.replace("PER", "LOC"))]
    found = read(files, files_mean="annotator").corpus
    assert (len(found), found.annotators) == (1, ("ann", "bob"))
    (refused,) = faults("empty.tsv", ADA.replace("PER", "_"), files_mean="annotator")
    assert "say empty_means='labelled' (or missing)" in refused


def test_stacked_spans_of_one_place_are_several_labels(put: Put, faults: Faults) -> None:
    name = put("d.tsv", STACKED)
    (found,) = faults(name)
    assert found.endswith(
        "the span 0-17 has several labels (PERSON, LOCATION), say several_labels='first' "
        "(or joined), overlaps='layers', or choose some with types="
    )
    assert read(name, several_labels="joined").corpus.gold[0][0] == "B-LOCATION+PERSON"
    assert read(name, types=("LOCATION",)).corpus.gold[0] == ("B-LOCATION", *["I-LOCATION"] * 4)


def test_offsets_that_tokens_prove_are_not_called_unclear(put: Put) -> None:
    imported = read(put("d.tsv", EMOJI))
    assert imported.corpus.sentences[0].tokens == ("an", "owl", "🦉", ".")
    assert imported.report.finding("offsets-unclear") is None


def test_parts_of_tokens_and_zero_length_are_listed(put: Put) -> None:
    imported = read(put("d.tsv", PARTS))
    assert imported.corpus.gold[0] == ("B-9", "I-9", "I-9")
    counts = {finding.kind: finding.count for finding in imported.report.findings}
    assert (counts["spans-cut"], counts["spans-empty"], counts["spans-overlap"]) == (7, 3, 8)
    spans = imported.corpus.sentences[0].extras["gold_spans"]
    assert sorted(spans) == sorted(
        [
            [0, 13, "2"], [0, 10, "7"], [0, 6, "1"], [3, 17, "9"], [3, 13, "6"], [3, 10, "8"],
            [7, 11, "4"], [7, 7, "11"], [9, 13, "5"], [9, 11, "3"], [10, 10, "10"], [13, 13, "12"],
        ]
    )  # fmt: skip


def test_a_span_between_tokens_is_dropped_and_said(put: Put) -> None:
    imported = read(put("d.tsv", BETWEEN))
    assert imported.corpus.gold[0] == ("O", "O")
    empty = imported.report.finding("spans-empty")
    assert empty is not None
    assert "4-4 (Simple)" in str(empty)


@pytest.mark.parametrize("content", [LEADING_SPACE, EMOJI])
def test_a_span_without_a_value_is_dropped_and_said(put: Put, content: str) -> None:
    imported = read(put("d.tsv", content))
    without = imported.report.finding("spans-without-label")
    assert without is not None
    assert without.count == 1


def test_a_label_with_control_characters_is_refused_once_unescaped(faults: Faults) -> None:
    escaped = "#\\*'\"`´\\t:\\;{}\\|\\[ \\]()\\\\§$%?=&\\_\\n"
    (found,) = faults("d.tsv", ADA.replace("PER", escaped))
    label = "#*'\"`´\t:;{}|[ ]()\\§$%?=&_\n"
    assert found.endswith(f"annotator gold: label {f'B-{label}'!r} holds a control character, remove it")


def test_offsets_count_utf_16_units(put: Put) -> None:
    text = f"{HEAD}#Text=🚀👩 Ada\n1-1\t0-4\t🚀👩\t_\t\n1-2\t5-8\tAda\tPER\t\n"
    found = read(put("d.tsv", text)).corpus
    assert found.sentences[0].extras["gold_spans"] == [[3, 6, "PER"]]
    assert found.gold[0] == ("O", "B-PER")


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("_", []),
        ("*", [Value(None, None)]),
        (r"\_", [Value("_", None)]),
        (r"\*", [Value("*", None)]),
        ("PER[1]|LOC[2]", [Value("PER", "1"), Value("LOC", "2")]),
        ("*[3]", [Value(None, "3")]),
        (r"a\|b\[1\]", [Value("a|b[1]", None)]),
        (r"a\\[1]", [Value("a\\", "1")]),
        (r"x\->y\;\t\n", [Value("x->y;\t\n", None)]),
    ],
)
def test_cells_are_taken_apart(cell: str, values: list[Value]) -> None:
    assert values_of(cell) == values


def test_text_has_escapes_of_its_own() -> None:
    assert unescaped_text(r"a\tb\\n\r_|[") == "a\tb\\n\r_|["


def test_sentences_are_put_together_with_what_stood_between_them_unknown(put: Put) -> None:
    text = (
        f"{HEAD}#Sentence.id=a\n#Text=Ada\n#Text=slept\n1-1\t0-3\tAda\tPER[1]\t\n1-2\t4-9\tslept\t_\t\n\n"
        "#Text=Bo\n2-1\t11-13\tBo\tPER[1]\t\n"
    )
    imported = read(put("d.tsv", text))
    (sentence,) = imported.corpus.sentences
    assert sentence.extras["text"] == "Ada\nslept\n Bo"
    assert imported.corpus.gold[0] == ("B-PER", "I-PER", "I-PER")
    lines = read("d.tsv", sentences="newline").corpus
    assert [s.tokens for s in lines.sentences] == [("Ada",), ("slept",), ("Bo",)]


def test_of_several_layers_one_must_be_chosen(faults: Faults) -> None:
    text = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b.NamedEntity|identifier|value\n#T_SP=a.b.POS|PosValue\n"
        "#T_RL=a.b.Dependency|DependencyType|BT_a.b.POS\n\n\n#Text=Ada\n1-1\t0-3\tAda\tQ7\tPER\tNN\t_\t_\t\n"
    )
    assert faults("d.tsv", text) == [
        "d.tsv: there are several layers (NamedEntity, POS), say layer= with one of them"
    ]
    chosen = read("d.tsv", layer="NamedEntity")
    assert chosen.corpus.gold[0] == ("B-PER",)
    left_out = chosen.report.finding("layers-left-out")
    assert left_out is not None
    assert "Dependency, POS" in str(left_out)
    assert read("d.tsv", layer="NamedEntity:identifier").corpus.gold[0] == ("B-Q7",)
    assert read("d.tsv", layer="a.b.POS").corpus.gold[0] == ("B-NN",)
    assert faults("d.tsv", layer="Nope") == [
        "there is no layer 'Nope', but NamedEntity, POS: say one of them with layer="
    ]
    assert faults("d.tsv", layer="POS:x") == ["d.tsv: layer POS has no feature 'x', it has PosValue"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("TSV 3.3", "TSV 2", "d.tsv:1: begins with #FORMAT=WebAnno TSV 2, not with #FORMAT=WebAnno TSV 3.3"),
        ("1-1\t", "x\t", "d.tsv:6: a line begins with the number of a token and its offsets, such as"),
        ("0-3", "-1-3", "d.tsv:6: a line begins with the number of a token and its offsets"),
        ("0-3", "0-٣", "d.tsv:6: a line begins with the number of a token and its offsets"),
        ("0-3", "0-3.0", "d.tsv:6: a line begins with the number of a token and its offsets"),
        ("4-9", "4-99", "d.tsv:7: offsets 4-99 do not fit the text, which counts UTF-16 units: "),
        ("4-9", "3-9", "d.tsv:7: offsets 3-9 cover ' slept', not 'slept': export the file again"),
        ("PER\t", "PER\tx\t", "d.tsv:6: 3 cells behind the token where the header names 1 columns"),
        ("PER", "PER\\", "d.tsv:6: the cell 'PER\\\\' ends in a backslash, correct it"),
        ("PER", "P[x]", "d.tsv:6: the value 'P[x]' holds a bracket without a backslash, correct it"),
        ("0-3", "999999999999-9999999999999", "d.tsv:6: a line begins with"),
        ("0-3", "900000000-900000003", "d.tsv:6: the sentence begins 900,000,000 characters behind"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_named_with_its_line(faults: Faults, old: str, new: str, what: str) -> None:
    (found, *_) = faults("d.tsv", ADA.replace(old, new), format="webanno-tsv")
    assert found.startswith(what)


def test_one_number_cannot_be_two_labels(faults: Faults) -> None:
    text = ADA.replace("\tPER", "\tPER[1]").replace("slept\t_", "slept\tLOC[1]")
    (found,) = faults("d.tsv", text)
    assert found == "d.tsv:7: span [1] is 'LOC' here and 'PER' before: export the file again"


def test_a_layer_with_nothing_but_slots_is_a_label_by_itself(put: Put) -> None:
    text = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b.Host|ROLE_a.b.Host:links_a.b.Link|a.b.Target\n\n\n"
        "#Text=Ada slept\n1-1\t0-3\tAda\t*\t1-2\t\n1-2\t4-9\tslept\t_\t_\t\n"
    )
    assert read(put("d.tsv", text)).corpus.gold[0] == ("B-Host", "O")
