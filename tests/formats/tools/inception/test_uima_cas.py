"""UIMA CAS in JSON and XMI: offsets, layers, type systems, hostile XML."""

import json
import sys
from typing import Any

import pytest

from crowdseq.errors import MissingExtraError
from crowdseq.formats import read
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

cassis = pytest.importorskip("cassis", reason="dkpro-cassis is not installed (extra: formats)")

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"


def document(
    text: str, spans: list[tuple[int, int, str | None]], tokens: list[tuple[int, int]] | None = None
) -> Any:
    """A CAS made with the library itself; offsets in code points."""
    types = cassis.TypeSystem()
    entity = types.create_type(NER, supertypeName="uima.tcas.Annotation")
    types.create_feature(entity, "identifier", "uima.cas.String")
    types.create_feature(entity, "value", "uima.cas.String")
    token = types.create_type(TOKEN, supertypeName="uima.tcas.Annotation")
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    for begin, end, value in spans:
        cas.add(entity(begin=begin, end=end, value=value))
    for begin, end in tokens or []:
        cas.add(token(begin=begin, end=end))
    return cas


def as_xmi(cas: Any) -> tuple[bytes, bytes]:
    return cas.to_xmi().encode(), cas.typesystem.to_xml().encode()


def test_the_two_annotators_are_read() -> None:
    imported = read(own("two-annotators/uima-cas-json"))
    assert rows_of(imported.corpus) == expected_rows()


def test_the_two_annotators_are_read_as_xmi(put: Put) -> None:
    for path in sorted(own("two-annotators/uima-cas-json").rglob("*.json")):
        content, types = as_xmi(cassis.load_cas_from_json(path.read_text("utf-8")))
        put(f"c/{path.parent.name}/{path.stem}.xmi", content)
        put("c/TypeSystem.xml", types)
    assert rows_of(read("c").corpus) == expected_rows()


def test_offsets_of_json_count_utf_16_units(put: Put) -> None:
    text = "🚀 Ada 👩‍🚀 Bo"
    cas = document(text, [(2, 5, "PER"), (10, 12, "PER")], [(0, 1), (2, 5), (6, 9), (10, 12)])
    written = cas.to_json()
    assert '"begin": 3' in json.dumps(json.loads(written))
    found = read(put("d.json", written)).corpus
    assert found.sentences[0].tokens == ("🚀", "Ada", "👩‍🚀", "Bo")
    assert found.gold[0] == ("O", "B-PER", "O", "B-PER")


def test_an_xmi_says_what_it_says_in_json(put: Put) -> None:
    cas = document("🚀 Ada slept", [(2, 5, "PER"), (6, 11, None)])
    content, types = as_xmi(cas)
    put("TypeSystem.xml", types)
    imported = read(put("d.xmi", content))
    assert imported.corpus == read(put("d.json", cas.to_json())).corpus
    assert imported.corpus.gold[0] == ("O", "B-PER", "O")
    assert imported.report.finding("spans-without-label") is not None


def by_hand(text: str, **layers: list[tuple[int, int]]) -> str:
    """A CAS as tools write it: spans by the name of their type, which has no features, in UTF-16 units."""
    spans = [(name, place) for name, places in layers.items() for place in places]
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": text}
    found = [
        {"%ID": number, "%TYPE": f"custom.{name}", "@sofa": 1, "begin": start, "end": end}
        for number, (name, (start, end)) in enumerate(spans, 2)
    ]
    types = {
        f"custom.{name}": {"%NAME": f"custom.{name}", "%SUPER_TYPE": "uima.tcas.Annotation"}
        for name in layers
    }
    members = {"%SOFA": 1, "%MEMBERS": [one["%ID"] for one in found]}
    return json.dumps(
        {"%TYPES": types, "%FEATURE_STRUCTURES": [sofa, *found], "%VIEWS": {"_InitialView": members}}
    )


@pytest.mark.parametrize(
    ("text", "spans", "tags"),
    [
        ("Ada met Bo .", [(0, 3), (4, 7), (8, 10), (11, 12)], ["B-Name"] * 4),
        ("山下", [(0, 2)], ["B-Name"]),
    ],
)
def test_a_layer_without_features_is_its_own_label(
    put: Put, text: str, spans: list[tuple[int, int]], tags: list[str]
) -> None:
    assert list(read(put("d.json", by_hand(text, Name=spans))).corpus.gold[0] or ()) == tags


def test_spans_of_emoji_cover_what_they_should(put: Put) -> None:
    name = put("d.json", by_hand("🦉 👩🏽‍🚀 🇳🇴 ok", Name=[(0, 2), (3, 10), (11, 15), (16, 18)]))
    found = read(name).corpus.sentences[0]
    text, spans = found.extras["text"], found.extras["gold_spans"]
    assert [text[start:end] for start, end, _ in spans] == text.split(" ")


def test_of_several_layers_one_must_be_chosen(put: Put, faults: Faults) -> None:
    name = put("d.json", by_hand("Ada met Bo", SimpleLinkHost=[(0, 3)], SimpleSpan=[(0, 3), (8, 10)]))
    (found,) = faults(name)
    assert found.endswith(
        "there are several layers (SimpleLinkHost, SimpleSpan), say layer= with one of them"
    )
    missing = "there is no layer 'Nope', but SimpleLinkHost, SimpleSpan: say one of them with layer="
    assert faults(name, layer="Nope") == [missing]
    chosen = read(name, layer="SimpleSpan").corpus
    assert chosen.sentences[0].tokens == ("Ada", "met", "Bo")
    assert chosen.gold[0] == ("B-SimpleSpan", "O", "B-SimpleSpan")


@pytest.mark.parametrize("offset", [-1, 3.0, "3", True, 99, 1, "٣", "1_0"])
def test_offsets_that_cannot_be_are_named(faults: Faults, offset: Any) -> None:
    value = json.loads(document("🚀 Ada", [(2, 5, "PER")]).to_json())
    for item in value["%FEATURE_STRUCTURES"]:
        if item["%TYPE"] == NER:
            item["end" if offset == 99 else "begin"] = offset
    (found,) = faults("d.json", json.dumps(value))
    assert found.startswith("d.json: ")
    assert "a whole number is expected" in found or "does not fit the text" in found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"%TYPES": {}}', "d.json: not a CAS in JSON (%FEATURE_STRUCTURES is missing)"),
        ('{"%TYPES": {}, "%FEATURE_STRUCTURES": []}', "d.json: not a CAS that can be read ("),
        (
            '{"%TYPES": {}, "%FEATURE_STRUCTURES": [], "%VIEWS": {}}',
            "d.json: holds no text, export the document",
        ),
        ('{"%TYPES": NaN', "d.json: not a CAS in JSON ("),
        ('{"%TYPES": {}, "%TYPES": {}}', "d.json: not a CAS in JSON (the key '%TYPES' stands twice"),
    ],
)
def test_a_broken_file_is_one_line(faults: Faults, text: str, what: str) -> None:
    (found,) = faults("d.json", text)
    assert found.startswith(what)
    assert "\n" not in found


def test_an_xmi_needs_its_type_system(faults: Faults) -> None:
    content, _ = as_xmi(document("Ada", [(0, 3, "PER")]))
    assert faults("d.xmi", content) == [
        "d.xmi: needs the file TypeSystem.xml that was exported with it, put it beside this one"
    ]


BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("declared", [BOMB, OUTSIDE])
def test_entities_are_refused_in_either_file(put: Put, faults: Faults, declared: str, encoding: str) -> None:
    content, types = as_xmi(document("Ada", [(0, 3, "PER")]))
    body = content.decode().split("?>", 1)[1]
    hostile = f'<?xml version="1.0" encoding="{encoding}"?>{declared}{body}'.encode(encoding)
    put("c/TypeSystem.xml", types)
    (found,) = faults("c/d.xmi", hostile)
    assert found == "c/d.xmi: holds a DOCTYPE, which could hide entities: remove it"
    put("e/TypeSystem.xml", types.replace(b"?>", b"?>" + declared.encode(), 1))
    (found,) = faults("e/d.xmi", content)
    assert found == "e/d.xmi: holds a DOCTYPE, which could hide entities: remove it"


def test_an_encoding_that_could_hide_entities_is_refused(put: Put, faults: Faults) -> None:
    content, types = as_xmi(document("Ada", [(0, 3, "PER")]))
    body = content.decode().split("?>", 1)[1]
    put("TypeSystem.xml", types)
    found = faults("d.xmi", f'<?xml version="1.0" encoding="UTF-7"?>{body}')
    assert found == ["d.xmi: is XML in UTF-7, save it as UTF-8"]


@pytest.mark.parametrize("offset", ["-1", "3.0", "٣", "1_0", ""])
def test_offsets_of_xmi_are_plain_digits(put: Put, faults: Faults, offset: str) -> None:
    content, types = as_xmi(document("Ada", [(0, 3, "PER")]))
    put("TypeSystem.xml", types)
    (found,) = faults("d.xmi", content.replace(b'end="3"', f'end="{offset}"'.encode()))
    assert found == f"d.xmi: an offset is {offset!a}, not a number"


def test_broken_xml_is_one_line(put: Put, faults: Faults) -> None:
    content, types = as_xmi(document("Ada", [(0, 3, "PER")]))
    put("TypeSystem.xml", types)
    (found,) = faults("d.xmi", content[:-30])
    assert found.startswith("d.xmi: not a CAS that can be read (XMLSyntaxError")


def test_a_missing_extra_is_one_line(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    name = put("d.json", document("Ada", [(0, 3, "PER")]).to_json())
    monkeypatch.setitem(sys.modules, "cassis", None)
    with pytest.raises(
        MissingExtraError, match=r"reading UIMA CAS needs an extra: pip install 'crowdseq\[formats\]'"
    ):
        read(name)
