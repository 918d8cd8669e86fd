"""spaCy, imported when first needed, and its tokenisers."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from crowdseq.errors import MissingExtraError, SettingsError

_LANGUAGE = re.compile(r"[a-z]{2,3}")


def library(what: str = "reading or writing spaCy's DocBin") -> Any:
    """spaCy, whose import may warn of things that are not ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import spacy
            import spacy.tokens
    except ImportError:
        raise MissingExtraError(what, "spacy") from None
    return spacy


def spacy_tokenizer(name: str) -> Callable[[str], list[tuple[int, int]]]:
    """A function from a text to the places of spaCy's tokens, those of white space alone left out.

    name: a language (`en`, or `xx` for any), or an installed pipeline. A folder is not taken, since loading
    one runs what it says.
    """
    spacy = library("cutting text with spaCy's tokeniser")
    cut = _load(spacy, name).tokenizer
    return lambda text: [(token.idx, token.idx + len(token)) for token in cut(text) if not token.is_space]


def _load(spacy: Any, name: str) -> Any:
    unknown = SettingsError(
        f"tokenizer 'spacy:{name}' is unknown, name a language (spacy:en, spacy:xx) or an installed pipeline"
    )
    try:
        if _LANGUAGE.fullmatch(name):
            return spacy.blank(name)
        if not spacy.util.is_package(name):
            raise unknown
        return spacy.load(name)
    except (ImportError, OSError):
        raise unknown from None
