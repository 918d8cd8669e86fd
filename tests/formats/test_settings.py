"""Settings are refused before the first byte is read."""

from typing import Any

import pytest

from crowdseq.core.building import DUPLICATES
from crowdseq.core.labels import KINDS
from crowdseq.errors import SettingsError
from crowdseq.formats.settings import Limits, ReadSettings, reading_options


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scheme", "BIOX"),
        ("on_error", "ignore"),
        ("duplicates", "last"),
        ("files_mean", "people"),
        ("offset_unit", "bytes"),
        ("overlaps", "all"),
        ("cut_tokens", "cut"),
        ("empty_means", "nothing"),
    ],
)
def test_a_wrong_choice_is_refused_with_the_choices(name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=f"{name} '{value}' is unknown, choose one of .+, .+"):
        ReadSettings(**{name: value})


@pytest.mark.parametrize(
    "name", ["klingon", "hex", "rot13", "idna", "undefined", "unicode_escape", "a\0b", ""]
)
def test_what_is_no_encoding_of_text_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="is unknown, try utf-8, utf-16, latin-1 or cp1252"):
        ReadSettings(encoding=name)


@pytest.mark.parametrize("name", ["utf-8", "UTF8", "latin-1", "cp1252", "utf-16", "gb18030", "shift_jis"])
def test_encodings_of_text_are_taken(name: str) -> None:
    assert ReadSettings(encoding=name).encoding == name


@pytest.mark.parametrize(("name", "kind"), [("BIO", "IOB2"), ("IOB", "IOB1"), ("IOBES", "BIOES")])
def test_other_names_of_schemes_are_known(name: str, kind: str) -> None:
    assert ReadSettings(scheme=name).scheme == kind


def test_a_rejects_file_needs_skipping() -> None:
    with pytest.raises(SettingsError, match="say on_error='skip'"):
        ReadSettings(rejects="bad.jsonl")


def test_an_empty_label_set_is_refused() -> None:
    with pytest.raises(SettingsError, match="the list of labels is empty"):
        ReadSettings(labels=())


@pytest.mark.parametrize("name", ["unpacked_bytes", "ratio", "ratio_after", "line_bytes", "depth", "faults"])
def test_limits_are_above_zero(name: str) -> None:
    with pytest.raises(SettingsError, match=f"limit {name} is 0"):
        Limits(**{name: 0})


@pytest.mark.parametrize("name", ["foo", "regex:", "regex:(", ""])
def test_an_unknown_tokeniser_is_refused_before_the_first_byte(name: str) -> None:
    with pytest.raises(SettingsError, match="tokenizer"):
        ReadSettings(tokenizer=name)


def test_a_tokeniser_of_spacy_is_loaded_when_first_used() -> None:
    assert ReadSettings(tokenizer="spacy:nowhere").tokenizer == "spacy:nowhere"


def test_what_may_be_chosen_is_what_a_corpus_can_be_built_with() -> None:
    """Written down twice, since the command line reads the choices before anything heavy is loaded."""
    assert reading_options()["scheme"].choices == KINDS
    assert reading_options()["duplicates"].choices == DUPLICATES


def test_every_choice_of_every_option_is_taken() -> None:
    for name, option in reading_options().items():
        for choice in option.choices:
            chosen: dict[str, Any] = {name: choice}
            assert getattr(ReadSettings(**chosen), name) == choice
