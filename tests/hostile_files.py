"""Files that would harm a trusting reader, each of at most a megabyte, made on the spot and always the same.

`HOSTILE` names a function for each file; `SEEDS` holds a sound file of every format, to be damaged.
"""

import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Hostile:
    """One file. outcome: whether it must be `refused`, may be `read`, or `either`, both being sound.

    says: a part of what is said of it. options: words of the command behind the file.
    """

    name: str
    make: Callable[[], bytes]
    outcome: str = "refused"
    says: str = ""
    options: tuple[str, ...] = ()
    command: str = "check"

    def content(self) -> bytes:
        made = self.make()
        assert len(made) <= MEGABYTE, f"{self.name} has {len(made):,} bytes"
        return made


HOSTILE: dict[str, Hostile] = {}


def hostile(
    name: str, outcome: str = "refused", says: str = "", options: Iterable[str] = (), title: str = ""
) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
    """Take a function that makes bytes into the list, under its own name."""

    def take(make: Callable[[], bytes]) -> Callable[[], bytes]:
        key = title or make.__name__
        assert key not in HOSTILE, key
        HOSTILE[key] = Hostile(name, make, outcome, says, tuple(options))
        return make

    return take


def add(title: str, name: str, content: bytes | Callable[[], bytes], outcome: str = "refused", says: str = "",
        options: Iterable[str] = ()) -> None:  # fmt: skip
    make = content if callable(content) else partial(bytes, content)
    if name.startswith("doccano"):  # a long text hides from a look at the beginning what it is
        options = (*options, "--from", "doccano")
    hostile(name, outcome, says, options, title)(make)


def lines(items: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def crowd(tokens: list[Any], votes: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "a", "tokens": tokens, "annotations": votes, **more}


SOUND = {"id": "a", "tokens": ["Ada", "slept"], "annotations": {"v": ["B-PER", "O"], "w": ["B-PER", "O"]}}
LINE = lines([SOUND])
DOCCANO = b'{"id":1,"text":"Ada slept","label":[[0,3,"PER"]]}\n'


def doccano(text: str, marks: list[Any], **more: Any) -> bytes:
    return json.dumps({"id": 1, "text": text, "label": marks, **more}).encode() + b"\n"


def zipped(
    members: Mapping[str, bytes], *, links: Iterable[str] = (), method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = method
            if name in links:
                entry.external_attr = 0o120777 << 16
            archive.writestr(entry, data)
    return out.getvalue()


# --- JSON ------------------------------------------------------------------------------------------------

DEEP = 100_000
add("many_keys_and_one_twice", "a.jsonl",
    lambda: b'{"id":"a","tokens":["x"],' + b"".join(b'"k%d":0,' % n for n in range(85_000)) + b'"k7":1}\n',
    says="the key 'k7' stands twice")  # fmt: skip
add("many_keys_all_twice", "a.jsonl",
    lambda: b'{"id":"a","tokens":["x"],' + b"".join(b'"k%d":0,' % (n // 2) for n in range(85_000)) + b'"z":1}\n',
    says="stands twice")  # fmt: skip
add("many_keys_in_an_array", "a.json",
    lambda: b'[{"id":"a","tokens":["x"],' + b"".join(b'"k%d":0,' % (n // 2) for n in range(85_000)) + b'"z":1}]',
    says="stands twice")  # fmt: skip
add("not_a_number_beside_depth", "a.jsonl", b'{"a":NaN,"b":' + b"[" * 3000 + b"]" * 3000 + b"}\n")
add("not_a_number_at_the_bottom", "a.jsonl", b'{"a":' + b"[" * 900 + b"NaN" + b"]" * 900 + b"}\n")
add("not_a_number_twice_deep", "a.json", b'[{"a":NaN,"b":' + b'{"x":[' * 700 + b"1e999" + b"]}" * 700 + b"}]")
for place, (opening, closing) in enumerate(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"":', b"}]"))):
    for is_closed in (True, False):
        how = f"{'closed' if is_closed else 'open'}_{'lists objects both'.split()[place]}"
        add(f"deep_jsonl_{how}", "a.jsonl",
            b'{"id":"a","tokens":' + opening * DEEP + (b"1" + closing * DEEP + b"}") * is_closed + b"\n")  # fmt: skip
        add(f"deep_array_{how}", "a.json", b"[" + opening * DEEP + (b"1" + closing * DEEP + b"]") * is_closed)
for word in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-" + "9" * 999_000, "0" * 100, "1" * 400_000 + ".5",
             "1e" + "9" * 100_000):  # fmt: skip
    add(
        f"number_{word[:9]}_{len(word)}", "a.jsonl", b'{"id":"a","tokens":["x"],"n":' + word.encode() + b"}\n"
    )
    add(
        f"offset_{word[:9]}_{len(word)}",
        "a.jsonl",
        b'{"id":1,"text":"Ada","label":[[0,' + word.encode() + b',"P"]]}\n',
    )
for what, value in {"list": [1], "object": {"a": 1}, "number": 3.5, "truth": True, "null": None}.items():
    add(f"id_is_{what}", "a.jsonl", lines([{**SOUND, "id": value}]), "either")
    add(f"tokens_are_{what}", "a.jsonl", lines([{**SOUND, "tokens": value}]))
    add(f"a_token_is_{what}", "a.jsonl", lines([{**SOUND, "tokens": ["Ada", value]}]))
    add(f"annotations_are_{what}", "a.jsonl", lines([{**SOUND, "annotations": value}]), "either")
    add(f"a_row_is_{what}", "a.jsonl", lines([{**SOUND, "annotations": {"w": value}}]), "either")
    add(f"a_label_is_{what}", "a.jsonl", lines([{**SOUND, "annotations": {"w": ["O", value]}}]), "either")
    add(f"gold_is_{what}", "a.jsonl", lines([{**SOUND, "gold": value}]), "either")
    add(f"columns_are_{what}", "a.jsonl", lines([{**SOUND, "columns": value}]), "either")
    add(f"a_mark_is_{what}", "doccano.jsonl", doccano("Ada slept", [value]))
    add(f"the_label_of_a_mark_is_{what}", "doccano.jsonl", doccano("Ada slept", [[0, 3, value]]), "either")
    add(f"an_offset_is_{what}", "doccano.jsonl", doccano("Ada slept", [[value, 3, "P"]]))
    add(
        f"the_text_is_{what}",
        "doccano.jsonl",
        b'{"id":1,"text":' + json.dumps(value).encode() + b',"label":[]}\n',
        "either",
    )
add(
    "lone_surrogates",
    "a.jsonl",
    b'{"id":"a","tokens":[' + b'"\\ud83d",' * 100_000 + b'"x"]}\n',
    says="surrogate",
)
add("surrogates_as_bytes", "a.jsonl", LINE.replace(b"Ada", b"\xed\xa0\xbd"), says="is not utf-8")
add("a_scalar_a_line", "a.jsonl", b"1\n" * 500_000)
add("a_brace_a_line", "a.jsonl", b"{\n" * 500_000)
add("a_bracket_a_line", "a.jsonl", LINE + b"[\n" * 500_000)
add("empty_objects", "a.jsonl", b"{}\n" * 340_000)
add("empty_lists", "a.json", b"[" + b"[]," * 340_000 + b"[]]")
add("an_array_of_numbers", "a.json", b"[" + b"1," * 500_000 + b"1]")
add("an_open_text", "a.json", b'[{"id":"a","tokens":["' + b"x" * 1_000_000)
add("an_open_text_of_escapes", "a.json", b'[{"id":"a","tokens":["' + b"\\\\" * 500_000)
add("an_open_text_in_lines", "a.jsonl", b'{"id":"a","tokens":["' + b"x" * 1_000_000)
add("blank_lines", "a.jsonl", b"\n" * 1_000_000, "either")
add("blank_lines_then_a_record", "a.jsonl", b"\n" * 1_000_000 + LINE, "either")
add("carriage_returns", "a.jsonl", b"\r" * 1_000_000 + LINE, "either")
add("spaces_then_a_record", "a.json", b" " * 1_000_000 + LINE, "either")
add("seams_that_lead_nowhere", "a.json",
    b'[{"a":1,"b":2},{"a":1,"b":[' + b'"},{",' * 160_000 + b"0]}]")  # fmt: skip
add(
    "seams_with_spaces",
    "a.json",
    b'[{"a":1,"b":2},{"a":1,"b":"' + (b"}" + b" " * 90 + b"," + b" " * 90) * 5000 + b'"}]',
)
add(
    "escaped_quotes",
    "a.jsonl",
    b'{"id":"a","tokens":["' + b'\\"' * 500_000 + b'"],"annotations":{"w":["O"]}}\n',
    "read",
)

# --- records of our own form: many of everything -----------------------------------------------------------

add(
    "annotators_by_the_ten_thousand",
    "a.jsonl",
    lambda: lines([crowd(["x"], {f"w{n}": ["O"] for n in range(55_000)})]),
    "either",
)
add("annotators_on_few_sentences", "a.jsonl",
    lambda: lines({"id": str(s), "tokens": ["x", "y"], "annotations": {f"w{n}": ["B-P", "O"] for n in range(1000)}}
                  for s in range(38)), "either")  # fmt: skip
add("annotators_alone", "a.jsonl",
    lambda: lines({"tokens": ["x"], "annotations": {f"w{n}": ["B-P"]}} for n in range(19_000)), "either")  # fmt: skip
add("annotators_in_pairs", "a.jsonl",
    lambda: lines({"tokens": ["x"], "annotations": {f"w{n}": ["B-P"], f"w{(n * 7919) % 9001}": ["O"]}}
                  for n in range(9001)), "either")  # fmt: skip
add(
    "labels_by_the_ten_thousand",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 30_000, {"w": [f"B-t{n}" for n in range(30_000)]})]),
    "either",
)
add(
    "labels_by_the_ten_thousand_in_pairs",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 20_000, {w: [f"B-t{n}" for n in range(20_000)] for w in "vw"})]),
    "either",
)
add(
    "plain_labels_by_the_ten_thousand",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 30_000, {"w": [f"t{n}" for n in range(30_000)]})]),
    "either",
)
add(
    "labels_by_the_thousand",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 2000, {w: [f"B-t{n}" for n in range(2000)] for w in "uvw"})]),
    "either",
)
add(
    "more_labels_than_numbers",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 40_000, {"w": [f"t{n}" for n in range(40_000)]})]),
    says="labels",
)
add("labels_in_many_documents", "a.jsonl",
    lambda: lines({"tokens": ["x"], "doc": str(n), "annotations": {w: [f"B-t{n % 900}"] for w in "uvw"}}
                  for n in range(9000)), "either")  # fmt: skip
add(
    "a_label_of_a_megabyte",
    "a.jsonl",
    lambda: lines([crowd(["x"], {"w": ["B-" + "x" * 1_000_000]})]),
    "either",
)
add("a_name_of_a_megabyte", "a.jsonl", lambda: lines([crowd(["x"], {"w" * 1_000_000: ["O"]})]), "either")
add(
    "an_id_of_a_megabyte", "a.jsonl", lambda: lines([crowd(["x"], {"w": ["O"]}, doc="d" * 999_000)]), "either"
)
add("a_token_of_a_megabyte", "a.jsonl", lambda: lines([crowd(["x" * 1_000_000], {"w": ["O"]})]), "read")
add("a_key_of_a_megabyte", "a.jsonl", lambda: lines([{**SOUND, "k" * 1_000_000: 1}]), "read")
add("look_alike_labels", "a.jsonl",
    lambda: lines([crowd(["x"] * 4096, {"w": ["B-" + _cased(n, 12) for n in range(4096)]})]), "either")  # fmt: skip
add(
    "look_alike_annotators",
    "a.jsonl",
    lambda: lines([crowd(["x"], {_cased(n, 15): ["O"] for n in range(30_000)})]),
    "either",
)
add(
    "one_sentence_of_many_tokens",
    "a.jsonl",
    lambda: lines([crowd(["x"] * 90_000, {"w": ["O"] * 50_000 + ["B-P"] * 40_000})]),
    "read",
)
add("tiny_sentences", "a.jsonl", b'{"tokens":["a"],"annotations":{"w":["O"]}}\n' * 24_000, "read")
add("sentences_without_tokens", "a.jsonl", b'{"tokens":[]}\n' * 70_000, "either")
add("one_id_many_times", "a.jsonl", b'{"id":"a","tokens":["a"],"annotations":{"w":["O"]}}\n' * 18_000)
add("one_id_many_annotators", "a.jsonl",
    lambda: lines({"id": "a", "tokens": ["x"], "annotations": {f"w{n}": ["O"]}} for n in range(15_000)), "read")  # fmt: skip
add("one_long_id_many_annotators", "a.jsonl",
    lambda: lines({"id": "a", "tokens": ["x"] * 60, "annotations": {f"w{n}": ["O"] * 60}} for n in range(1500)), "read")  # fmt: skip
add("given_ids_in_the_way_of_made_ones", "a.jsonl",
    lambda: lines({"id": f"s{n + 10_000}", "tokens": []} for n in range(10_000)) + b'{"tokens":[]}\n' * 40_000, "either")  # fmt: skip
add(
    "columns_by_the_ten_thousand",
    "a.jsonl",
    lambda: lines([{**SOUND, "columns": {f"c{n}": ["x", "y"] for n in range(40_000)}}]),
    "either",
)
add("columns_in_every_sentence", "a.jsonl",
    lambda: lines({"tokens": ["x"], "columns": {f"c{n}": ["x"]}, "annotations": {"w": ["O"]}} for n in range(11_000)), "either")  # fmt: skip
add("documents_scattered", "a.jsonl",
    lambda: lines({"tokens": ["x"], "doc": str(n % 3), "annotations": {"w": ["O"]}} for n in range(14_000)), "either")  # fmt: skip
add("control_characters", "a.jsonl", lines([crowd([chr(n) for n in range(32)], {"w": ["O"] * 32})]), "read")
add(
    "control_characters_in_names",
    "a.jsonl",
    lines([crowd(["x"], {"w\x1b[31m": ["O"]})]),
    says="control character",
)
add("bidi_and_escapes_in_tokens", "a.jsonl",
    lines([crowd(["\u202e\u2066\x1b]0;x\x07"], {"\u202ew": ["B-\u202eP"]})]), "read")  # fmt: skip
add(
    "twin_keys_of_the_scheme",
    "a.jsonl",
    lines([{**SOUND, "crowdseq_scheme": ["x"] * 100, "crowdseq": {"a": 1}}]),
    "either",
)
add("kept_spans_that_lie", "a.jsonl",
    lines([{**SOUND, "text": "Ada slept", "spans": {"v": [[-5, 10**30, "P"], "x", [1], None]}, "gold_spans": 7}]), "either")  # fmt: skip
add("parts_that_lie", "a.jsonl",
    lines([{**SOUND, "text": "Ada slept", "part_of": {"id": [1], "number": "x", "of": -1}}]), "either")  # fmt: skip
add("offsets_that_lie", "a.jsonl",
    lines([{**SOUND, "text": "Ada slept", "offsets": [[0, 10**12], [-1, 3]]}]), "either")  # fmt: skip
add("consensus_with_odd_numbers", "a.jsonl",
    lines([{"id": "a", "tokens": ["x"], "labels": ["O"], "confidence": [10**400], "agreed": [["w"]]}]), "either")  # fmt: skip


def _cased(number: int, size: int) -> str:
    """A word in upper and lower letters, which differs from others only in them."""
    return "".join("xX"[number >> place & 1] for place in range(size))


# --- spans over characters -----------------------------------------------------------------------------------

add(
    "nested_spans",
    "doccano.jsonl",
    lambda: doccano("x " * 25_000, [[2 * n, 50_000 - 2 * n - 1, "P"] for n in range(12_000)]),
    "either",
)
add(
    "nested_spans_of_many_types",
    "doccano.jsonl",
    lambda: doccano("x " * 10_000, [[2 * n, 20_000 - 2 * n - 1, f"T{n}"] for n in range(5000)]),
    "either",
)
add("nested_spans_in_layers", "doccano.jsonl",
    lambda: doccano("x " * 4000, [[2 * n, 8000 - 2 * n - 1, f"T{n}"] for n in range(2000)]), "either",
    options=("--overlaps", "layers"))  # fmt: skip
add("nested_spans_in_layers_of_two_types", "doccano.jsonl",
    lambda: doccano("x " * 25_000, [[2 * n, 50_000 - 2 * n - 1, "PQ"[n % 2]] for n in range(12_000)]), "either",
    options=("--overlaps", "layers"))  # fmt: skip
add(
    "nested_spans_by_characters",
    "doccano.jsonl",
    lambda: doccano("x" * 50_000, [[n, 50_000 - n, "P"] for n in range(24_000)]),
    "either",
)
add(
    "overlapping_spans",
    "doccano.jsonl",
    lambda: doccano("x " * 30_000, [[2 * n, 2 * n + 20_001, "P"] for n in range(19_000)]),
    "either",
)
add(
    "spans_at_one_place",
    "doccano.jsonl",
    lambda: doccano("Ada slept", [[0, 3, f"T{n}"] for n in range(50_000)]),
)
add("spans_at_one_place_first", "doccano.jsonl", lambda: doccano("Ada slept", [[0, 3, f"T{n}"] for n in range(50_000)]),
    "either", options=("--several-labels", "joined"))  # fmt: skip
add("spans_that_stand_twice", "doccano.jsonl", lambda: doccano("Ada slept", [[0, 3, "P"]] * 60_000), "either")
add("empty_spans", "doccano.jsonl", lambda: doccano("Ada slept", [[1, 1, "P"]] * 60_000), "either")
add(
    "spans_of_many_types",
    "doccano.jsonl",
    lambda: doccano("x " * 30_000, [[2 * n, 2 * n + 1, f"T{n}"] for n in range(30_000)]),
    "either",
)
add("short_spans_in_lines", "doccano.jsonl",
    lambda: doccano("x\n" * 50_000, [[2 * n, 2 * n + 1, "P"] for n in range(40_000)]), "either",
    options=("--sentences", "newline"))  # fmt: skip
add("a_span_over_many_lines", "doccano.jsonl",
    lambda: doccano("x\n" * 100_000, [[0, 199_999, "P"], *[[2 * n, 199_999, f"T{n}"] for n in range(3000)]]), "either",
    options=("--sentences", "newline", "--overlaps", "longest"))  # fmt: skip
add(
    "many_sentences_in_a_document",
    "doccano.jsonl",
    lambda: doccano("Abc. " * 190_000, [[0, 3, "P"]]),
    "either",
)
add(
    "many_sentences_with_spans",
    "doccano.jsonl",
    lambda: doccano("Abc. " * 60_000, [[5 * n, 5 * n + 3, "P"] for n in range(30_000)]),
    "either",
)
add("many_lines_in_a_document", "doccano.jsonl", lambda: doccano("Abc\n\n" * 130_000, []), "either")
add("full_stops", "doccano.jsonl", lambda: doccano("." * 900_000, [[0, 1, "P"]]), "either")
add("quotes_behind_a_stop", "doccano.jsonl", lambda: doccano("a." + "'" * 900_000, [[0, 1, "P"]]), "either")
add(
    "stops_and_quotes", "doccano.jsonl", lambda: doccano("a " * 200 + ".'" * 400_000, [[0, 1, "P"]]), "either"
)
add(
    "stops_and_spaces",
    "doccano.jsonl",
    lambda: doccano("A b " * 100 + ("." + " " * 5000) * 180, [[0, 1, "P"]]),
    "either",
)
add("no_break_spaces_behind_a_stop", "doccano.jsonl",
    lambda: json.dumps({"id": 1, "text": "a b " * 100 + "." + "\u00a0" * 300_000, "label": []}, ensure_ascii=False)
    .encode() + b"\n", "either")  # fmt: skip
add("flags", "doccano.jsonl",
    lambda: json.dumps({"id": 1, "text": "🇩" * 240_000, "label": [[0, 2, "P"]]}, ensure_ascii=False).encode() + b"\n",
    "either", options=("--offset-unit", "graphemes"))  # fmt: skip
add("flags_with_proof", "a.jsonl",
    lambda: json.dumps({"text": "🇩" * 240_000, "_input_hash": 1, "answer": "accept", "spans":
                        [{"start": 0, "end": 4, "label": "P", "text": "x"}]}, ensure_ascii=False).encode() + b"\n",
    "either")  # fmt: skip
add("joined_emoji", "doccano.jsonl",
    lambda: json.dumps({"id": 1, "text": "👩" + "\u0301" * 400_000 + "\u200d👩", "label": [[0, 2, "P"]]},
                       ensure_ascii=False).encode() + b"\n", "either", options=("--offset-unit", "graphemes"))  # fmt: skip
add("combining_marks_in_normal_form", "doccano.jsonl",
    lambda: json.dumps({"id": 1, "text": "e" + "\u0301\u0323" * 200_000, "label": [[0, 2, "P"]]},
                       ensure_ascii=False).encode() + b"\n", "either", options=("--normalise", "nfc"))  # fmt: skip
add("texts_cut_and_normalised", "doccano.jsonl",
    lambda: json.dumps({"id": 1, "text": "Abe\u0301. " * 40_000, "label": [[0, 2, "P"]]},
                       ensure_ascii=False).encode() + b"\n", "either", options=("--normalise", "nfc"))  # fmt: skip
for start, end in (
    (-1, 3),
    (0, 10**6),
    (0, 10**30),
    (10**12, 10**12 + 1),
    (5, 2),
    (0.0, 3),
    (0, 2.5),
    (0, "3"),
    (True, 3),
):
    add(f"offsets_{start}_{str(end)[:12]}", "doccano.jsonl", doccano("Ada slept", [[start, end, "P"]]))
add("huge_spans_by_the_thousand", "doccano.jsonl", lambda: doccano("Ada slept", [[0, 10**15, "P"]] * 30_000))
add("many_annotators_of_a_long_text", "a.json",
    lambda: json.dumps([{"id": 1, "data": {"text": "a " * 220_000}, "annotations":
        [{"id": n, "completed_by": n, "result": []} for n in range(10_000)]}]).encode(), "either",
    options=("--empty-means", "labelled"))  # fmt: skip
add("many_annotators_with_spans_of_a_long_text", "a.json",
    lambda: json.dumps([{"id": 1, "data": {"text": "a " * 150_000}, "annotations":
        [{"id": n, "completed_by": n, "result": [{"from_name": "l", "type": "labels", "value":
            {"start": 0, "end": 1, "text": "a", "labels": ["P"]}}]} for n in range(4500)]}]).encode(), "either",
    options=())  # fmt: skip
add("argilla_responses_of_a_long_text", "a.json",
    lambda: json.dumps([{"id": "1", "fields": {"text": "a " * 150_000}, "responses": {"ner":
        [{"value": [], "user_id": str(n), "status": "submitted"} for n in range(10_000)]}}]).encode(), "either")  # fmt: skip
add("prodigy_tokens_that_lie", "a.jsonl",
    lines([{"text": "Ada slept", "_input_hash": 1, "answer": "accept", "tokens": [{"text": "Ada", "start": 0, "end": 10**9,
            "id": 0}], "spans": [{"start": 0, "end": 3, "label": "P", "token_start": 0, "token_end": 10**9}]}]), "either")  # fmt: skip
add("prodigy_tokens_in_circles", "a.jsonl",
    lambda: lines([{"text": "Ada slept", "_input_hash": 1, "answer": "accept", "spans": [], "tokens":
                    [{"text": "A", "start": 0, "end": 1, "id": n} for n in range(15_000)]}]), "either")  # fmt: skip
add(
    "label_studio_without_anything",
    "a.json",
    json.dumps([{"id": 1, "data": {}, "annotations": [{}]}] * 5000).encode(),
)
add("label_studio_labels_that_are_objects", "a.json",
    json.dumps([{"id": 1, "data": {"text": "Ada"}, "annotations": [{"id": 1, "completed_by": {"a": [1]}, "result":
        [{"from_name": ["l"], "value": {"start": 0, "end": 3, "labels": [{"a": 1}]}}]}]}]).encode())  # fmt: skip
add("label_studio_controls_by_the_thousand", "a.json",
    lambda: json.dumps([{"id": 1, "data": {"text": "Ada"}, "annotations": [{"id": 1, "completed_by": 1, "result":
        [{"from_name": f"l{n}", "type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["P"]}}
         for n in range(7000)]}]}]).encode(), "either")  # fmt: skip
add(
    "nested_label_with_types",
    "doccano.jsonl",
    doccano("Ada slept", [[0, 3, {"PER": ["x"]}]]),
    options=("--types", "PER"),
)
add(
    "list_label_with_types",
    "doccano.jsonl",
    doccano("Ada slept", [[0, 3, ["PER"]]]),
    "either",
    options=("--types", "PER"),
)
add("label_studio_nested_label_with_types", "a.json",
    json.dumps([{"id": 1, "data": {"text": "Ada"}, "annotations": [{"id": 1, "completed_by": 1, "result":
        [{"from_name": "l", "type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": [["PER"]]}}]}]}])
    .encode(), options=("--types", "PER"))  # fmt: skip
add("prodigy_nested_label_with_types", "a.jsonl",
    lines([{"text": "Ada", "_input_hash": 1, "answer": "accept", "spans": [{"start": 0, "end": 3, "label": [["PER"]]}]}]),
    options=("--types", "PER"))  # fmt: skip
add("argilla_nested_label_with_types", "a.json",
    json.dumps([{"id": "1", "fields": {"text": "Ada"}, "responses": {"ner": [{"value": [{"start": 0, "end": 3, "label":
        {"a": 1}}], "user_id": "w", "status": "submitted"}]}}]).encode(), options=("--types", "PER"))  # fmt: skip

# --- patterns of users ------------------------------------------------------------------------------------------

add("a_pattern_that_explodes", "doccano.jsonl", doccano("a" * 60 + "!", [[0, 60, "P"]]), says="pattern",
    options=("--tokenizer", r"regex:(a+)+$"))  # fmt: skip
add("a_pattern_that_is_quadratic", "doccano.jsonl", lambda: doccano("a" * 900_000, [[0, 1, "P"]]), says="pattern",
    options=("--tokenizer", r"regex:\w+\d"))  # fmt: skip
add(
    "a_pattern_with_references",
    "a.txt",
    b"ab" * 5000 + b"!\n",
    "either",
    options=("--tokenizer", r"regex:(\w+)\1+$"),
)
add("a_pattern_that_is_plain", "doccano.jsonl", lambda: doccano("ab " * 200_000, [[0, 2, "P"]]), "read",
    options=("--tokenizer", r"regex:\w+|[^\w\s]"))  # fmt: skip

# --- encodings -----------------------------------------------------------------------------------------------------

TEXT = LINE.decode()
for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig", "utf-7", "cp1252",
                 "cp037", "utf_16", "UTF16", "shift_jis", "iso2022_jp", "gb18030", "hz"):  # fmt: skip
    told = ("--encoding", encoding)
    add(f"{encoding}_that_is_utf_8", "a.jsonl", LINE, "either", options=told)
    add(f"{encoding}_cut_off", "a.jsonl", TEXT.encode(encoding)[:-1], "either", options=told)
    add(f"{encoding}_of_rubbish", "a.jsonl", bytes(range(256)) * 8, options=told)
    add(f"{encoding}_not_told", "a.jsonl", TEXT.encode(encoding), "either")
for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
    add(
        f"{encoding}_without_a_mark",
        "a.jsonl",
        TEXT.encode(encoding),
        "either",
        options=("--encoding", encoding[:6]),
    )
    add(f"{encoding}_array_without_a_mark", "a.json", f"[{TEXT.strip()}]".encode(encoding), "either",
        options=("--encoding", encoding[:6]))  # fmt: skip
    add(f"{encoding}_columns_without_a_mark", "a.conll", "Ada B-PER\nslept O\n".encode(encoding), "either",
        options=("--encoding", encoding[:6]))  # fmt: skip
    add(f"{encoding}_with_surrogates", "a.jsonl", TEXT.replace("Ada", "\ud83d").encode(encoding, "surrogatepass"),
        options=("--encoding", encoding))  # fmt: skip
for what, mark in {"utf8": b"\xef\xbb\xbf", "le": b"\xff\xfe", "be": b"\xfe\xff", "le32": b"\xff\xfe\0\0", "be32": b"\0\0\xfe\xff",
                   "utf7": b"+/v8-", "twice": b"\xef\xbb\xbf" * 2, "many": b"\xef\xbb\xbf" * 300_000}.items():  # fmt: skip
    add(f"mark_{what}_alone", "a.jsonl", mark, "either")
    add(f"mark_{what}_before_lines", "a.jsonl", mark + LINE, "either")
    add(f"mark_{what}_before_columns", "a.conll", mark + b"Ada B-PER\nslept O\n", "either")
for what, rubbish in {"nuls": b"\0" * 1_000_000, "ff": b"\xff" * 1_000_000, "latin": b"\xe9" * 1_000_000,
                      "overlong": b"\xc0\x80" * 1000, "tails": b"\x80" * 1000}.items():  # fmt: skip
    for ending in (
        "jsonl",
        "json",
        "conll",
        "csv",
        "tsv",
        "txt",
        "parquet",
        "spacy",
        "xlsx",
        "conllu",
        "zip",
        "gz",
        "xmi",
    ):
        if len(rubbish) == 1000 * 1000 or ending in ("jsonl", "conll"):
            add(f"{what}_as_{ending}", f"a.{ending}", rubbish, "either" if what == "nuls" else "refused")
for ending in (
    "jsonl",
    "json",
    "conll",
    "csv",
    "tsv",
    "txt",
    "parquet",
    "spacy",
    "xlsx",
    "conllu",
    "zip",
    "gz",
    "xmi",
    "db",
):
    add(f"empty_{ending}", f"a.{ending}", b"", "either")
    add(f"white_{ending}", f"a.{ending}", b" \t\r\n" * 1000, "either")
    add(f"sqlite_{ending}", f"a.{ending}", b"SQLite format 3\0\x10\0\1\1\0@  " + bytes(5000))
    add(f"elf_{ending}", f"a.{ending}", b"\x7fELF\2\1\1\0" + random.Random(ending).randbytes(5000))

# --- columns and tables ----------------------------------------------------------------------------------------------

add("columns_by_the_hundred_thousand", "a.conll", lambda: (b"x " * 240_000 + b"O\n") * 2, "either")
add("columns_that_vary", "a.conll", lambda: b"".join(b"x " * (n % 1000) + b"O\n" for n in range(1000)))
add("a_column_of_one_token", "a.conll", b"x O\n" * 260_000, "read")
add("sentences_of_one_token", "a.conll", b"x O\n\n" * 200_000, "either")
add("sentences_of_one_chunk", "a.conll", b"x B-P\n\n" * 140_000, "either")
add("no_sentence_ends", "a.conll", b"x I-P\n" * 170_000, "either")
add("labels_in_columns", "a.conll", lambda: b"".join(b"x B-t%d\n" % n for n in range(90_000)), "either")
add("annotators_in_columns", "a.conll", lambda: (b"x" + b" B-P" * 100_000 + b"\n") * 2, "either")
add(
    "annotators_in_answers",
    "answers.txt",
    lambda: (b"x" + b" ? B-P" * 60_000 + b"\n") * 2,
    "either",
    options=("--from", "answers"),
)
add(
    "annotators_in_answers_of_many_sentences",
    "answers.txt",
    lambda: (b"x" + b" ? B-P O" * 500 + b"\n\n") * 250,
    "either",
    options=("--from", "answers"),
)
add("a_line_of_a_megabyte", "a.conll", b"x" * 1_000_000 + b" O\n", "either")
add("spaces_in_a_line", "a.conll", b"x" + b" " * 1_000_000 + b"O\n", "either")
add("tabs_in_a_line", "a.conll", b"x" + b"\t" * 1_000_000 + b"O\n", "either")
add("document_starts", "a.conll", b"-DOCSTART- -X- O O\n\n" * 45_000, "either")
add("comments_alone", "a.conllu", b"# sent_id = a\n" * 70_000, "either")
add("comments_of_keys", "a.conllu", lambda: b"".join(b"# k%d = v\n" % n for n in range(80_000)) +
    b"1\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=O\n\n", "either")  # fmt: skip
add("numbers_in_conllu", "a.conllu", b"9999999999999999999999\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-P\n\n")
add("ranges_in_conllu", "a.conllu", b"1-999999999\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-P\n\n")
add("misc_in_conllu", "a.conllu", b"1\tAda\t_\t_\t_\t_\t_\t_\t_\t" + b"NER=O|" * 150_000 + b"\n\n", "either")
add("a_quote_that_stays_open", "a.csv", b"task,worker,label\n" + b'"d:0,w,O\n' * 100_000)
add("a_quote_at_the_end", "a.csv", b"task,worker,label\n" + b"d:0,w,O\n" * 10 + b'"')
add("quotes_and_nothing_else", "a.csv", b'"' * 1_000_000)
add("cells_by_the_hundred_thousand", "a.csv", b"," * 500_000 + b"\n" + b"," * 500_000 + b"\n", "either")
add("names_of_columns", "a.csv", lambda: b",".join(b"c%d" % n for n in range(60_000)) + b"\n" +
    b",".join([b"x"] * 60_000) + b"\n", "either")  # fmt: skip
add("one_name_for_all_columns", "a.csv", b"task,worker," + b"label," * 150_000 + b"x\n", "either")
add("a_cell_of_a_megabyte", "a.csv", b"task,worker,label\nd:0,w," + b"x" * 1_000_000 + b"\n", "either")
add("a_far_token", "a.csv", b"task,worker,label\nd:999999999,w,O\n")
add("a_number_of_many_digits", "a.csv", b"task,worker,label\nd:" + b"9" * 900_000 + b",w,O\n")
add("far_tokens_in_many_sentences", "a.csv",
    lambda: b"task,worker,label\n" + b"".join(b"d%d:999,w,O\n" % n for n in range(60_000)), "either")  # fmt: skip
add("far_tokens_of_many_annotators", "a.csv",
    lambda: b"task,worker,label\n" + b"".join(b"d:%d,w%d,O\n" % (n * 45 % 900_000, n) for n in range(50_000)), "either")  # fmt: skip
add("near_tokens_of_many_annotators", "a.csv",
    lambda: b"task,worker,label\n" + b"".join(b"d:%d,w%d,O\n" % (n % 1000, n) for n in range(60_000)), "either")  # fmt: skip
add("annotators_in_a_table", "a.csv",
    lambda: b"task,worker,label\n" + b"".join(b"d:0,w%d,B-P\n" % n for n in range(60_000)), "either")  # fmt: skip
add("sentences_in_a_table", "a.csv",
    lambda: b"task,worker,label\n" + b"".join(b"%d:0,w,B-P\n" % n for n in range(75_000)), "either")  # fmt: skip
add("repeated_rows", "a.csv", b"task,worker,label\n" + b"d:0,w,O\n" * 100_000, "refused")
add(
    "repeated_rows_kept",
    "a.csv",
    b"task,worker,label\n" + b"d:0,w,O\n" * 100_000,
    "read",
    options=("--duplicates", "first"),
)
add("mace_columns", "a.csv", (b"O," * 200_000 + b"O\n") * 2, "either", options=("--from", "mace"))
add("mturk_answers_that_are_deep", "a.csv",
    b'HITId,WorkerId,Input.text,Answer.a\nH,w,Ada,"' + b"[" * 300_000 + b'"\n')  # fmt: skip
add("mturk_answers_that_are_wrong", "a.csv",
    b'HITId,WorkerId,Input.text,Answer.a\nH,w,Ada,"{""x"":{""entities"":[{""startOffset"":[],""endOffset"":{},""label"":3}]}}"\n')  # fmt: skip
add("nuls_in_a_table", "a.csv", b"task,worker,label\nd:0,w\0,O\n" * 1000)
add("carriage_returns_in_a_table", "a.csv", b"task,worker,label\r" + b"d:0,w,O\r" * 100_000)
add("text_of_one_word", "a.txt", b"x" * 1_000_000, "either", options=("--from", "text"))
add("text_of_lines", "a.txt", b"x\n" * 500_000, "either", options=("--from", "text"))
add("text_of_signs", "a.txt", b"." * 1_000_000, "either", options=("--from", "text"))

# --- brat, WebAnno, UIMA ----------------------------------------------------------------------------------------------

WEBANNO = "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Ner|value\n\n\n#Text=Ada slept\n1-1\t0-3\tAda\tPER[1]\t\n1-2\t4-9\tslept\t_\t\n"


def brat(text: bytes, notes: bytes) -> bytes:
    return zipped({"v/d.txt": text, "v/d.ann": notes, "w/d.txt": text, "w/d.ann": notes})


add("brat_spans_that_nest", "a.zip",
    lambda: brat(b"x " * 20_000, b"".join(b"T%d\tP %d %d\tx\n" % (n, 2 * n, 40_000 - 2 * n) for n in range(9000))), "either")  # fmt: skip
add("brat_spans_that_are_right_and_nest", "a.zip",
    lambda: brat(b"x " * 2000, b"".join(b"T%d\tP %d %d\t%s\n" % (n, 2 * n, 4000 - 2 * n - 1, (b"x " * 2000)[2 * n:4000 - 2 * n - 1])
                                        for n in range(1000))), "either")  # fmt: skip
add("brat_offsets_that_lie", "a.zip", brat(b"Ada slept", b"T1\tP 0 99999999999999999999\tAda\n"))
add("brat_offsets_that_are_words", "a.zip", brat(b"Ada slept", b"T1\tP zero three\tAda\n"))
add(
    "brat_pieces",
    "a.zip",
    lambda: brat(
        b"x " * 50_000, b"T1\tP " + b";".join(b"%d %d" % (2 * n, 2 * n + 1) for n in range(40_000)) + b"\tx\n"
    ),
)
add("brat_pieces_split", "a.zip", lambda: brat(b"x " * 50_000, b"T1\tP " + b";".join(b"%d %d" % (2 * n, 2 * n + 1) for n in range(40_000)) + b"\tx\n"),
    "either", options=("--discontinuous", "split"))  # fmt: skip
add(
    "brat_texts_that_differ",
    "a.zip",
    zipped({"v/d.txt": b"Ada", "v/d.ann": b"", "w/d.txt": b"Bob", "w/d.ann": b""}),
)
add("brat_annotators", "a.zip",
    lambda: zipped({f"w{n}/d.{end}": (b"x " * 300 if end == "txt" else b"T1\tP 0 1\tx\n") for n in range(2000) for end in ("txt", "ann")}), "either")  # fmt: skip
add("webanno_numbers", "a.tsv", WEBANNO.replace("1-1", "999999999999-999999999999").encode(), "either")
add("webanno_offsets", "a.tsv", WEBANNO.replace("0-3", "0-99999999999999999").encode(), "either")
add("webanno_far_offsets", "a.tsv", WEBANNO.replace("0-3", "900000000-900000003").encode(), "either")
add(
    "webanno_layers",
    "a.tsv",
    lambda: (WEBANNO.split("\n")[0] + "\n" + "#T_SP=a.Ner|value\n" * 50_000 + "\n\n#Text=A\n").encode(),
    "either",
)
add("webanno_text_of_escapes", "a.tsv", WEBANNO.replace("Ada slept", "\\" * 900_000).encode(), "either")
add(
    "webanno_stacked",
    "a.tsv",
    WEBANNO.replace("PER[1]", "|".join(f"P[{n}]" for n in range(90_000))).encode(),
    "either",
)
add("webanno_indices", "a.tsv", WEBANNO.replace("PER[1]", "PER[" + "9" * 900_000 + "]").encode(), "either")

SOFA = {
    "%ID": 1,
    "%TYPE": "uima.cas.Sofa",
    "sofaNum": 1,
    "sofaID": "_InitialView",
    "mimeType": "text",
    "sofaString": "Ada slept",
}


def cas(structures: list[Any], **more: Any) -> bytes:
    return json.dumps({"%TYPES": {}, "%FEATURE_STRUCTURES": [SOFA, *structures], "%VIEWS": {"_InitialView":
        {"%SOFA": 1, "%MEMBERS": [item["%ID"] for item in structures if "%ID" in item]}}, **more}).encode()  # fmt: skip


def annotation(number: int, **more: Any) -> dict[str, Any]:
    return {"%ID": number, "%TYPE": "uima.tcas.Annotation", "@sofa": 1, "begin": 0, "end": 3, **more}


add("cas_annotations", "a.json", lambda: cas([annotation(n) for n in range(2, 10_000)]), "either")
add("cas_offsets", "a.json", cas([annotation(2, end=10**12)]))
add(
    "cas_references_in_circles",
    "a.json",
    cas([annotation(2, **{"@next": 3}), annotation(3, **{"@next": 2})]),
    "either",
)
add("cas_types_in_circles", "a.json",
    cas([annotation(2, **{"%TYPE": "a.A"})], **{"%TYPES": {"a.A": {"%NAME": "a.A", "%SUPER_TYPE": "a.B"}, "a.B":
        {"%NAME": "a.B", "%SUPER_TYPE": "a.A"}}}))  # fmt: skip
add("cas_types_in_a_chain", "a.json",
    lambda: cas([annotation(2, **{"%TYPE": "a.T9000"})], **{"%TYPES": {f"a.T{n}": {"%NAME": f"a.T{n}", "%SUPER_TYPE":
        f"a.T{n - 1}" if n else "uima.tcas.Annotation"} for n in range(9001)}}), "either")  # fmt: skip
add(
    "cas_arrays",
    "a.json",
    cas([{"%ID": 2, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [2] * 100_000}]),
    "either",
)

XMI = ('<?xml version="1.0" encoding="UTF-8"?>{}<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
       'xmlns:tcas="http:///uima/tcas.ecore" xmi:version="2.0"><cas:NULL xmi:id="0"/><tcas:DocumentAnnotation xmi:id="2" '
       'sofa="1" begin="0" end="9" language="en"/><cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" '
       'mimeType="text" sofaString="Ada slept"/>{}<cas:View sofa="1" members="2"/></xmi:XMI>')  # fmt: skip
TYPES = '<?xml version="1.0" encoding="UTF-8"?>{}<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types/></typeSystemDescription>'


def xmi(before: str = "", inside: str = "", types: str = "") -> bytes:
    return zipped(
        {"d/ann.xmi": XMI.format(before, inside).encode(), "d/TypeSystem.xml": TYPES.format(types).encode()}
    )


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12)) + "]>"  # fmt: skip
add("xmi_laughs", "a.zip", xmi(LAUGHS, "<x>&m;</x>"), says="DOCTYPE")
add("xmi_laughs_in_types", "a.zip", xmi("", "", LAUGHS), says="DOCTYPE")
add(
    "xmi_external_entity",
    "a.zip",
    xmi('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "<x>&e;</x>"),
    says="DOCTYPE",
)
add("xmi_deep", "a.zip", xmi("", "<a>" * 50_000 + "</a>" * 50_000), "either")
add(
    "xmi_attributes",
    "a.zip",
    lambda: xmi("", "<a " + " ".join(f'a{n}="1"' for n in range(60_000)) + "/>"),
    "either",
)
add("xmi_of_another_encoding", "a.zip", zipped({"d/ann.xmi": XMI.format("", "").replace("UTF-8", "UTF-7").encode("utf-7"),
    "d/TypeSystem.xml": TYPES.format("").encode()}))  # fmt: skip
add(
    "xmi_cut_off",
    "a.zip",
    zipped({"d/ann.xmi": XMI.format("", "").encode()[:-200], "d/TypeSystem.xml": TYPES.format("").encode()}),
)

# --- archives -------------------------------------------------------------------------------------------------------------


def gzip_bomb(line: bytes, megabytes: int) -> bytes:
    return gzip.compress(line * (megabytes * MEGABYTE // len(line)), 9, mtime=0)


TINY = b'{"tokens":["a"],"annotations":{"w":["O"]}}\n'
add("gzip_of_nuls", "a.jsonl.gz", lambda: gzip_bomb(b"\0", 100))
add("gzip_of_tiny_sentences", "a.jsonl.gz", lambda: gzip_bomb(TINY, 7), says="more sentences")
add("gzip_of_many_tiny_sentences", "a.jsonl.gz", lambda: gzip_bomb(TINY, 48), says="more sentences")
add("gzip_of_tiny_columns", "a.conll.gz", lambda: gzip_bomb(b"x O\n\n", 20), says="more sentences")
add(
    "gzip_of_rows",
    "a.csv.gz",
    lambda: gzip.compress(
        b"task,worker,label\n" + b"".join(b"%d:0,w,O\n" % n for n in range(800_000)), 1, mtime=0
    )[:MEGABYTE],
    "refused",
)
add("gzip_of_long_sentences", "a.jsonl.gz",
    lambda: gzip_bomb(b'{"tokens":[' + b'"a",' * 9999 + b'"a"],"annotations":{"w":[' + b'"O",' * 9999 + b'"O"]}}\n', 60), says="unpacks to")  # fmt: skip
add(
    "gzip_of_arrays",
    "a.json.gz",
    lambda: gzip.compress(b"[" + TINY[:-1] + (b"," + TINY[:-1]) * 200_000 + b"]", 9, mtime=0),
    says="more sentences",
)
add("gzip_padded_against_the_ratio", "a.jsonl.gz", lambda: _padded_gzip(TINY), "either")
add("gzip_in_gzip", "a.jsonl.gz", lambda: gzip.compress(gzip_bomb(TINY, 20), mtime=0))
add("gzip_members", "a.jsonl.gz", gzip.compress(b"", mtime=0) * 50_000, "either")
add("gzip_zeros_behind", "a.jsonl.gz", gzip.compress(LINE, mtime=0) + bytes(900_000), "either")
add("gzip_rubbish_behind", "a.jsonl.gz", gzip.compress(LINE, mtime=0) + b"rubbish" * 1000)
add("gzip_header_alone", "a.jsonl.gz", b"\x1f\x8b\x08")
add("gzip_long_name", "a.jsonl.gz", b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * 900_000)
add("gzip_wrong_sum", "a.jsonl.gz", gzip.compress(LINE, mtime=0)[:-8] + bytes(8))


def _padded_gzip(line: bytes) -> bytes:
    """Much that unpacks to more, and members of what cannot be packed to hide it from a look at the ratio."""
    noise = b'{"tokens":[],"n":"' + random.Random(3).randbytes(330_000).hex().encode() + b'"}\n'
    return gzip.compress(noise, 9, mtime=0) + gzip_bomb(line, 45)


add("zip_that_leaves", "a.zip", zipped({"../../a.jsonl": LINE}), says="leave its folder")
add("zip_absolute", "a.zip", zipped({"/etc/a.jsonl": LINE}), says="leave its folder")
add("zip_of_windows", "a.zip", zipped({"C:\\a.jsonl": LINE}), says="leave its folder")
add("zip_link", "a.zip", zipped({"a.jsonl": b"/etc/passwd"}, links=["a.jsonl"]), says="symbolic link")
add("zip_in_zips", "a.zip", lambda: _nested_zips(20, LINE))
add("zip_in_zips_of_inception", "a.zip",
    lambda: zipped({"exportedproject1.json": b"{}", "annotation/d/w.zip": _nested_zips(20, LINE)}), "either")  # fmt: skip
add("zip_bomb", "a.zip", lambda: zipped({"a.jsonl": TINY * 300_000}), says="more sentences")
add(
    "zip_bombs_together",
    "a.zip",
    lambda: zipped({f"a{n}.jsonl": TINY * 20_000 for n in range(4)}),
    says="more sentences",
)
add("zip_bomb_of_nuls", "a.zip", lambda: zipped({"a.jsonl": bytes(60_000_000)}))
add("zip_that_overlaps", "a.zip", lambda: _overlapping_zip(), "either")
add(
    "zip_of_names",
    "a.zip",
    lambda: zipped({f"{n}": b"" for n in range(9000)}, method=zipfile.ZIP_STORED),
    "either",
)
add("zip_of_small_files", "a.zip", lambda: zipped({f"w{n}.jsonl": TINY for n in range(4000)}), "either")
add(
    "zip_of_columns",
    "a.zip",
    lambda: zipped({f"w{n}.conll": b"x B-P\n" * 50 for n in range(5000)}, method=zipfile.ZIP_DEFLATED),
    "either",
)
add(
    "zip_of_documents",
    "a.zip",
    lambda: zipped({f"w{n % 50}/d{n // 50}.conll": b"x B-P\n" * 9 for n in range(5000)}),
    "either",
)
add("zip_names_with_escapes", "a.zip", zipped({"\x1b[31m\u202e.jsonl": b"{"}))
add("zip_wrong_sizes", "a.zip", lambda: _zip_that_lies())
add("zip_end_alone", "a.zip", b"PK\5\6" + bytes(18))
add("zip_encrypted", "a.zip", lambda: _flagged_zip(), says="encrypted")
add(
    "zip_unknown_packing",
    "a.zip",
    lambda: zipped({"a.jsonl": LINE}).replace(b"\x08\0\0\0\x21\x50", b"\x63\0\0\0\x21\x50"),
)
add("zip_lzma", "a.zip", lambda: zipped({"a.jsonl": TINY * 40_000}, method=zipfile.ZIP_LZMA), "either")
add("zip_bzip2", "a.zip", lambda: zipped({"a.jsonl": TINY * 40_000}, method=zipfile.ZIP_BZIP2), "either")


def _nested_zips(depth: int, data: bytes) -> bytes:
    made = zipped({"a.jsonl": data})
    for _ in range(depth):
        made = zipped({"a.zip": made})
    return made


def _overlapping_zip() -> bytes:
    """Many entries of one member: each is unpacked on its own."""
    one = zipped({"a0000.jsonl": TINY * 100_000})
    start = one.index(b"PK\1\2")
    entry = one[start : one.index(b"PK\5\6")]
    entries = b"".join(entry.replace(b"a0000", b"a%04d" % n) for n in range(900))
    return one[:start] + entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 900, 900, len(entries), start, 0)


def _zip_that_lies() -> bytes:
    made = bytearray(zipped({"a.jsonl": TINY * 100_000}))
    start = made.index(b"PK\1\2")
    struct.pack_into("<L", made, start + 24, 10)
    return bytes(made)


def _flagged_zip() -> bytes:
    made = bytearray(zipped({"a.jsonl": LINE}))
    made[made.index(b"PK\1\2") + 8] |= 1
    made[6] |= 1
    return bytes(made)


CONLL_U = (
    b"# sent_id = a\n1\tAda\tAda\tX\tY\t_\t0\troot\t_\tNER=B-PER\n2\tslept\t_\t_\t_\t_\t1\tx\t_\tNER=O\n"
)
