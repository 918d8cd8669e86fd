"""Every format declares the settings that it looks at, so that no option is ignored without a word."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, ClassVar

import pytest

from builders import corpus
from crowdseq.formats import ReadSettings, read, reading, write
from crowdseq.formats.files import list_inputs
from crowdseq.formats.format import _NOT_FOR_ALL, Format
from crowdseq.formats.registry import FORMATS
from file_fixtures import Put

WRITTEN = [form.name for form in FORMATS.values() if form.write or form.write_folder]
TSV = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ner|value\n\n\n#Text=Ada\n1-1\t0-3\tAda\tPER\t\n"
TYPED = {
    "a.txt": "Ada slept\n",
    "d.tsv": TSV,
    "c/d/ada.tsv": TSV,
    "x.conllu": "1\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n\n",
    "b.csv": 'HITId,WorkerId,Input.text,Answer.x\nH,w,Ada,"{""e"":{""entities"":'
    '[{""startOffset"":0,""endOffset"":3,""label"":""PER""}]}}"\n',
}


class _Watched(ReadSettings):
    """Remembers which of the settings that not all formats use were looked at."""

    seen: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name in _NOT_FOR_ALL:
            _Watched.seen.add(name)
        return super().__getattribute__(name)


def _looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, set[str], set[str]]]:
    """Formats, what their readers looked at until all was read, and what they say they look at."""
    found = []

    def look(_: ReadSettings, forms: Iterable[Format]) -> list[str]:
        used = list(forms)
        declared = {setting for form in used for setting in form.settings}
        found.append((used[0].name, set(_Watched.seen), declared))
        return []

    def begin(inputs: Any) -> Any:  # what was looked at before is the making of the settings themselves
        _Watched.seen.clear()
        return list_inputs(inputs)

    monkeypatch.setattr(reading, "list_inputs", begin)
    monkeypatch.setattr(reading, "unused_settings", look)
    read(name, _Watched(empty_means="labelled"))
    return found


@pytest.mark.parametrize("form", WRITTEN)
def test_a_reader_looks_at_no_setting_that_its_format_does_not_declare(
    form: str, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    if form == "docbin":
        pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
    put("x/.keep", "")
    name = f"x/{form}.{(FORMATS[form].extensions or ('',))[0]}".rstrip(".")
    write(corpus("Ada/O/B-PER met/O/O"), name, format=form)
    ((_, seen, declared),) = _looked_at(name, monkeypatch)
    assert seen <= declared


@pytest.mark.parametrize("name", list(TYPED))
def test_neither_does_one_of_a_form_that_is_only_read(
    name: str, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(name, TYPED[name])
    ((form, seen, declared),) = _looked_at(name.split("/")[0], monkeypatch)
    assert seen <= declared
    assert seen, form


def test_declared_settings_are_settings() -> None:
    known = {setting.name for setting in fields(ReadSettings)}
    for form in FORMATS.values():
        assert set(form.settings) <= set(_NOT_FOR_ALL) <= known
