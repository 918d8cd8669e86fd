"""Faults in input files, by their number in the list of faults, each with the words that a user reads."""

import codecs
import gzip
import os
from pathlib import Path

import pytest

from crowdseq.errors import FormatError
from crowdseq.formats import read, write
from crowdseq.formats.settings import Limits
from file_fixtures import Faults, Put

GOOD = '{"id": "fine", "tokens": ["Ada", "met"], "annotations": {"w1": ["B-PER", "O"]}}\n'


def record(**fields: str) -> str:
    """A line with its fields given as JSON."""
    parts = {"id": '"s1"', "tokens": '["Ada"]', **fields}
    return "{" + ", ".join(f'"{key}": {value}' for key, value in parts.items()) + "}\n"


def test_fault_01_all_broken_lines_are_found_in_one_pass(faults: Faults) -> None:
    broken = '{"id": "x", "tokens": ["a"] "gold": ["O"]}\n'
    found = faults("f.jsonl", GOOD + broken + GOOD.replace("fine", "fine2") + "{]\n")
    assert found == [
        "f.jsonl:2: not JSON (Expecting ',' at column 29), correct the line",
        "f.jsonl:4: not JSON (Expecting property name enclosed in double quotes at column 2), "
        "correct the line",
    ]


def test_fault_01_a_last_line_that_is_cut_off_is_called_so(faults: Faults) -> None:
    found = faults("f.jsonl", GOOD + '{"id": "x", "tokens": ["a"')
    assert found == ["f.jsonl:2: not JSON (Expecting ',' at column 27), the line seems cut off"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"[{GOOD.strip()},\n{GOOD.replace('fine', 'fine2')}]", "a JSON array"),
        (
            '{\n "id": "a",\n "tokens": ["x"],\n "gold": ["O"]\n}\n{\n "id": "b",\n "tokens": ["y"]\n}\n',
            "pretty-printed JSON",
        ),
    ],
)
def test_fault_02_an_array_or_pretty_printed_json_is_read_and_told(put: Put, text: str, shown: str) -> None:
    imported = read(put("f.jsonl", text))
    assert len(imported.corpus) == 2
    assert imported.report.lines()[0] == f"{shown} was read where one record a line is expected: f.jsonl"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_fault_03_numbers_that_json_lacks_are_refused_with_their_key(faults: Faults, number: str) -> None:
    (found,) = faults("f.jsonl", GOOD + record(score=number))
    assert found == f"f.jsonl:2: {number} is not a JSON number (key 'score'), use null"


def test_fault_03_a_double_key_is_refused_by_name(faults: Faults) -> None:
    (found,) = faults("f.jsonl", GOOD + '{"id": "a", "tokens": ["x"], "gold": ["O"], "gold": ["B-X"]}\n')
    assert found == "f.jsonl:2: the key 'gold' stands twice in one object, remove one"


def test_fault_04_deep_nesting_is_refused_without_a_traceback(faults: Faults) -> None:
    (found,) = faults("f.jsonl", GOOD + record(deep="[" * 100_000 + "]" * 100_000))
    assert found == "f.jsonl:2: nested more than 200 levels deep"


def test_fault_04_a_number_of_five_thousand_digits_is_refused(faults: Faults) -> None:
    (found,) = faults("f.jsonl", GOOD + record(id="9" * 5000))
    assert found == "f.jsonl:2: a number has 5,000 digits, the limit is 1,000"


@pytest.mark.parametrize("name", ["f.jsonl", "f.conll"])
def test_fault_05_marks_and_line_ends_are_put_right_and_told(put: Put, name: str) -> None:
    text = GOOD + GOOD.replace("fine", "fine2") if name == "f.jsonl" else "Ada\tB-PER\nmet\tO\n\nBo\tB-PER\n"
    world = read(put(name, text)).corpus
    for ends, shown in ((b"\r\n", "CRLF"), (b"\r", "CR")):
        imported = read(put(name, codecs.BOM_UTF8 + text.encode().replace(b"\n", ends)))
        assert imported.corpus == world
        assert imported.report.lines()[:2] == [
            f"a byte order mark stands at the beginning, left out: {name}",
            f"line ends are {shown}, read as LF: {name}",
        ]
    mixed = read(put(name, text.replace("\n", "\r\n", 1)))
    assert mixed.corpus == world
    assert f"line ends are LF and CRLF, read as LF: {name}" in mixed.report.lines()


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_fault_06_only_line_feeds_end_a_line(put: Put, tmp_path: Path, character: str) -> None:
    token = f"New{character}York"
    columns = read(put("f.conll", f"{token}\tB-LOC\nis\tO\n")).corpus
    assert columns.sentences[0].tokens == (token, "is")
    write(columns, tmp_path / "f.jsonl")
    assert read("f.jsonl").corpus == columns


def test_fault_07_latin_1_is_refused_with_byte_and_guess_and_read_when_named(faults: Faults) -> None:
    data = GOOD.encode() + record(tokens='["café"]').encode("latin-1")
    (found,) = faults("f.jsonl", data)
    place = data.index(b"\xe9") + 1
    assert found == (
        f"f.jsonl:2: byte {place} (0xE9) is not utf-8, it looks like latin-1 ('é'): "
        "say encoding='latin-1', or correct the file"
    )
    assert read("f.jsonl", encoding="latin-1").corpus.sentences[1].tokens == ("café",)


def test_fault_07_utf_16_is_refused_with_a_guess_and_read_when_named(faults: Faults) -> None:
    (found,) = faults("f.jsonl", GOOD.encode("utf-16"))
    assert found == "f.jsonl:1: byte 1 is not utf-8, the file looks like utf-16: say encoding='utf-16'"
    assert len(read("f.jsonl", encoding="utf-16").corpus) == 1


def test_fault_07_the_wrong_encoding_is_refused_with_its_byte(faults: Faults) -> None:
    found = faults("f.jsonl", GOOD.encode() + "é".encode(), encoding="ascii")
    assert (
        found[0] == f"f.jsonl:2: byte {len(GOOD) + 1} (0xC3) is not ascii, say the right one with encoding="
    )


def test_fault_08_a_lone_surrogate_is_refused_at_import(faults: Faults) -> None:
    (found,) = faults("f.jsonl", GOOD + record(tokens='["\\ud83d"]'))
    assert found == "f.jsonl:2: the text '\\ud83d' holds half a character (a lone surrogate), correct it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Ada NNP B-PER\nmet O\n",
            "f.conll:2: 2 columns where the file has 3, give every token its label, ? for none",
        ),
        (
            "Ada B-PER\nmet\n",
            "f.conll:2: 1 column where the file has 2, give every token its label, ? for none",
        ),
        ("Ada\tB-PER\nmet\t\n", "f.conll:2: a label is missing, write ? for a token that is not labelled"),
        ("Ada\tB-PER\n\tO\n", "f.conll:2: the token is empty, correct the line"),
        ("Ada B-PER\nmet Bo today O\n", "f.conll:2: 4 columns where the file has 2, correct the line"),
    ],
)
def test_fault_09_ragged_columns_and_missing_labels_have_their_line(
    faults: Faults, text: str, message: str
) -> None:
    assert faults("f.conll", text, format="conll") == [message]


def test_fault_09_odd_but_clear_columns_are_read_and_told(put: Put) -> None:
    text = "-DOCSTART- O\n#\tO\nBo  O\n  \nthe\tO\n-DOCSTART-\tO\n\n# B-X"
    imported = read(put("f.conll", text))
    assert [(s.tokens, s.doc) for s in imported.corpus.sentences] == [
        (("#", "Bo"), "d1"),
        (("the",), "d1"),
        (("#",), "d2"),
    ]
    assert imported.report.lines()[:2] == [
        "a blank line holds spaces, read as blank: f.conll:4",
        "tabs and spaces are mixed between columns (2 times): f.conll:3; 8",
    ]


def test_fault_11_another_number_of_labels_than_tokens_is_counted_out(faults: Faults) -> None:
    (found,) = faults("f.jsonl", record(id='"d7-s1"', annotations='{"w3": ["O", "O"]}'))
    assert found == "f.jsonl:1: d7-s1: annotator w3: 2 labels for 1 token"


def test_fault_12_one_id_for_two_texts_is_refused_with_both_places(faults: Faults) -> None:
    (found,) = faults("f.jsonl", record() + record(tokens='["Bo"]'))
    assert found == (
        "f.jsonl:2: s1: the id was used before (f.jsonl:1) for another text: "
        "token 1 is 'Bo' here and 'Ada' there"
    )


def test_fault_12_two_votes_of_one_annotator_are_refused_with_both_places(faults: Faults) -> None:
    line = record(annotations='{"w1": ["O"]}')
    (found,) = faults("f.jsonl", line + line)
    assert found == (
        "f.jsonl:2: s1: annotator w1 labelled this sentence before (f.jsonl:1), "
        "remove one or say which to keep: duplicates='first' (or newest)"
    )


def test_fault_13_other_tokens_over_the_same_characters_are_aligned_and_told(put: Put) -> None:
    first = record(tokens='["New", "York", "is", "big."]', annotations='{"w1": ["B-LOC", "I-LOC", "O", "O"]}')
    other = record(tokens='["New York", "is", "big", "."]', annotations='{"w2": ["B-LOC", "O", "O", "O"]}')
    imported = read(put("f.jsonl", first + other))
    ballot = imported.corpus.annotations.ballots[0]
    assert [imported.corpus.scheme.names(row) for row in ballot.tags] == [("B-LOC", "I-LOC", "O", "O")] * 2
    assert imported.report.lines() == [
        "tokens differ between annotators of one sentence, aligned by characters: f.jsonl:2: s1"
    ]


def test_fault_13_a_label_inside_a_token_takes_all_of_it_and_is_told(put: Put) -> None:
    first = record(tokens='["Albanian"]', annotations='{"w1": ["O"]}')
    other = record(tokens='["Albania", "n"]', annotations='{"w2": ["B-LOC", "O"]}')
    imported = read(put("f.jsonl", first + other))
    assert imported.report.lines()[1] == (
        "labels ended inside a token when they were aligned, the whole token was taken: f.jsonl:2: s1"
    )


def test_fault_13_other_characters_are_refused_with_the_first_difference(faults: Faults) -> None:
    (found,) = faults("f.jsonl", record(tokens='["New", "York"]') + record(tokens='["New", "Yorck"]'))
    assert found.endswith("for another text: token 2 is 'Yorck' here and 'York' there")


def test_fault_14_unknown_labels_are_listed_with_count_and_neighbour(faults: Faults) -> None:
    lines = [
        record(id='"a"', annotations='{"w1": ["B-PER"], "w2": ["B-PRE"]}'),
        record(id='"b"', tokens='["x", "y"]', gold='["B-PRE", "I-XYZ"]'),
    ]
    assert faults("f.jsonl", "".join(lines), labels=("PER", "LOC")) == [
        "f.jsonl:1: a: label 'B-PRE' (2 times) is not in the label set, did you mean 'PER'? "
        "(or take the labels from the data)",
        "f.jsonl:2: b: label 'I-XYZ' (1 time) is not in the label set, which has LOC, PER "
        "(or take the labels from the data)",
    ]


def test_fault_15_tags_that_break_the_scheme_are_kept_and_counted(put: Put) -> None:
    lines = [
        record(id='"a"', tokens='["x", "y"]', annotations='{"w1": ["O", "I-PER"], "w2": ["B-PER", "I-LOC"]}'),
        *(
            record(id=f'"{n}"', tokens='["x", "y"]', annotations='{"w3": ["B-PER", "I-PER"]}')
            for n in range(9)
        ),
        record(id='"c"', annotations='{"w1": ["S-LOC"]}'),
    ]
    imported = read(put("f.jsonl", "".join(lines)))
    corpus = imported.corpus
    assert corpus.scheme.kind == "IOB2"
    assert corpus.scheme.names(corpus.annotations.ballots[0].tags[0]) == ("O", "I-PER")
    assert dict(imported.report.slips) == {"w1": 1, "w2": 1}
    assert imported.report.lines() == [
        "tags that IOB2 does not have were read as the nearest ones (S-LOC as B-LOC): S-LOC",
        "tags break the rules of the scheme; kept as given, never in a consensus (2 times): w1 1, w2 1",
    ]


def test_fault_15_iob1_is_converted_and_told(put: Put) -> None:
    imported = read(put("f.conll", "Ada I-PER\nmet O\nBo I-PER\nLee B-PER\nin O\nRome I-LOC\n\nUN I-ORG\n"))
    assert imported.corpus.gold[0] == ("B-PER", "O", "B-PER", "B-PER", "O", "B-LOC")
    assert imported.report.kind == "IOB1"
    assert "the tags are IOB1, read as IOB2" in imported.report.lines()


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ('""', "annotator w1: a label is empty, use null for a token without a label"),
        ('"  "', "annotator w1: a label is empty, use null for a token without a label"),
        ('"B-"', "annotator w1: label 'B-' names no entity type, write e.g. 'B-PER'"),
        ('"B-a\\tb"', "annotator w1: label 'B-a\\tb' holds a control character, remove it"),
    ],
)
def test_fault_16_labels_that_cannot_be_names_are_refused(faults: Faults, label: str, message: str) -> None:
    (found,) = faults("f.jsonl", record(annotations=f'{{"w1": [{label}]}}'))
    assert found == f"f.jsonl:1: s1: {message}"


@pytest.mark.parametrize("name", ["a b", "a|b", "🚀", "x" * 10_000, "É", "-", "B-B"])
def test_fault_16_odd_names_of_labels_are_held(put: Put, tmp_path: Path, name: str) -> None:
    corpus = read(put("f.jsonl", record(annotations=f'{{"w1": ["B-{name}"]}}'))).corpus
    assert corpus.scheme.types == (name,)
    write(corpus, tmp_path / "f.conll")
    assert read("f.conll").corpus == corpus


def test_fault_16_labels_that_look_alike_are_told(put: Put) -> None:
    tags = '["B-PER", "B-Per", "B-Café", "B-Cafe\u0301", "B-O"]'
    imported = read(
        put("f.jsonl", record(tokens='["a", "b", "c", "d", "e"]', annotations=f'{{"w1": {tags}}}'))
    )
    found = imported.report.finding("look-alike-labels")
    assert found is not None
    assert found.count == 2
    assert "labels differ only in case, Unicode form or outer space: are they the same? (2 times)" in str(
        found
    )
    assert "'PER' and 'Per'" in str(found)
    assert imported.report.finding("type-named-o") is not None


def test_fault_16_a_message_about_a_long_label_stays_short(faults: Faults) -> None:
    (found,) = faults("f.jsonl", record(annotations='{"w1": ["B-' + "x" * 10_000 + '\\t"]}'))
    assert len(found) < 500


@pytest.mark.parametrize("tokens", ["[]", '[" "]', '["\\u00a0"]', '[""]'])
def test_fault_17_sentences_without_words_are_kept(put: Put, tmp_path: Path, tokens: str) -> None:
    labels = "[]" if tokens == "[]" else '["O"]'
    imported = read(put("f.jsonl", record(tokens=tokens, annotations=f'{{"w1": {labels}}}', gold=labels)))
    assert len(imported.corpus) == 1
    kind = "empty-sentences" if tokens == "[]" else "blank-tokens"
    assert imported.report.finding(kind) is not None
    write(imported.corpus, tmp_path / "g.jsonl")
    assert read("g.jsonl").corpus == imported.corpus


@pytest.mark.parametrize("name", ["f.jsonl", "f.conll"])
def test_fault_17_an_empty_file_is_an_empty_corpus(put: Put, name: str) -> None:
    imported = read(put(name, ""))
    assert len(imported.corpus) == 0
    assert imported.report.lines() == ["there is no sentence in the input"]


def test_fault_20_a_no_break_space_stays_in_its_token(put: Put) -> None:
    corpus = read(put("f.conll", "New\u00a0York B-LOC\nzero\u200bwidth O\n")).corpus
    assert corpus.sentences[0].tokens == ("New\u00a0York", "zero\u200bwidth")
    prose = "New\u00a0York is\u200bbig"
    words = read(put("f.txt", prose), format="text").corpus.sentences[0].tokens
    assert words == ("New", "York", "is", "\u200b", "big")
    parts = read("f.txt", format="text", tokenizer="whitespace").corpus.sentences[0].tokens
    assert parts == ("New\u00a0York", "is\u200bbig")


def test_fault_22_a_gzip_bomb_is_refused(faults: Faults) -> None:
    bomb = gzip.compress(b" " * (80 << 20), 9)
    assert len(bomb) < 100_000
    (found,) = faults("f.jsonl.gz", bomb)
    assert found == (
        "f.jsonl.gz: unpacks to more than 50 times its size, as a gzip bomb does; "
        "unpack it yourself if you trust it, or say limits='ratio=1000'"
    )


def test_fault_24_pipes_devices_and_long_lines_are_refused(faults: Faults, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert faults("pipe") == ["pipe: is a named pipe, not a file: send its content to standard input (-)"]
    assert faults("/dev/zero") == [
        "/dev/zero: is a device, not a file: send its content to standard input (-)"
    ]
    (found,) = faults("f.jsonl", GOOD + "x" * 2000 + "\n", limits=Limits(line_bytes=1000))
    assert found == "f.jsonl:2: the line is longer than 1,000 bytes, split the record"


def test_fault_25_a_file_that_grows_while_it_is_read_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("f.jsonl", GOOD)
    plain_loads = read.__globals__["Loader"]._take

    def take_and_append(*arguments: object) -> bool:
        with open("f.jsonl", "a", encoding="utf-8") as more:
            more.write("\n")
        return bool(plain_loads(*arguments))

    monkeypatch.setattr(read.__globals__["Loader"], "_take", take_and_append)
    with pytest.raises(
        FormatError, match=r"^f.jsonl: changed while it was read, read it again when nobody writes"
    ):
        read("f.jsonl")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the name of an annotator is empty, give one"),
        (" ", "the name of an annotator is empty, give one"),
        ("a\\nb", "annotator 'a\\nb' holds a control character, remove it"),
    ],
)
def test_fault_26_annotators_without_a_name_are_refused(faults: Faults, name: str, message: str) -> None:
    (found,) = faults("f.jsonl", record(annotations=f'{{"{name}": ["O"]}}'))
    assert found == f"f.jsonl:1: s1: {message}"


@pytest.mark.parametrize(
    "name", ["../x", "/etc/passwd", "=SUM(1)", "<script>", "y" * 5000, "C:\\\\x", "~", "a b"]
)
def test_fault_26_names_are_kept_as_they_are_and_never_become_paths(
    put: Put, tmp_path: Path, name: str
) -> None:
    corpus = read(put("in/f.jsonl", record(annotations=f'{{"{name}": ["O"]}}'))).corpus
    write(corpus, tmp_path / "out", format="conll-folder")
    assert [path.name for path in (tmp_path / "out").glob("[!.]*")] == ["annotator-0001.conll"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    assert read("out").corpus == corpus


def test_fault_26_annotators_that_look_alike_are_told(put: Put) -> None:
    imported = read(put("f.jsonl", record(annotations='{"Ada": ["O"], "ada ": ["O"], "bo": ["O"]}')))
    assert imported.report.lines() == [
        "annotators differ only in case, Unicode form or outer space: are they the same?: 'Ada' and 'ada '"
    ]
