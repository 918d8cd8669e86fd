"""Where sentences begin in running text: by rules, for scripts with and without capital letters."""

import re
from functools import cache

# Signs that end a sentence whatever follows: CJK, Devanagari, Urdu, Arabic, Ethiopic, Armenian, Burmese,
# Khmer, Tibetan.
_ALWAYS = "。！？｡।॥۔؟።፧։။៕།"
_CLOSING = "\"'”’»›」』）)]}】〉》"
_OPENING = "\"'“‘«‹「『（([{【〈《¿¡"
_SPACED_CLOSING = rf"(?:[\u00a0\u202f][»›]|[{re.escape(_CLOSING)}])*"
_END = re.compile(
    rf"(?P<always>[{_ALWAYS}]+{_SPACED_CLOSING})\s*"
    rf"|(?P<maybe>(?<![.!?…\u037e])[.!?…\u037e]++{_SPACED_CLOSING})\s+"  # never from inside a run of signs
    r"|(?P<line>\n)\s*"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never at the end of a sentence: something always follows.
_TITLES = _words(
    """mr mrs ms dr prof st mt rev hon gen col maj capt lt sgt gov sen rep pres messrs mme mlle hr fr frl
    dipl ing sra srta ud uds lic d.h z.b e.g i.e i.a vgl bzw cf vs viz resp nos nr fig figs abb tab eq art abs
    vol bd pp p.p ch kap sec ed eds hrsg aufl ca approx ggf evtl sog insb jan feb mar apr jun jul aug sep sept
    oct nov dec okt dez av blvd тов г-н г-жа проф акад им ул рис см стр напр т.е"""
)
# At the end of a sentence if a word follows that usually begins one.
_PERHAPS = _words(
    """inc ltd co corp bros gmbh jr sr etc al usw u.a u.s u.k u.n e.u a.m p.m ph.d b.c a.d est dept univ
    no m mm т.д т.п др г руб"""
)
_STARTERS = _words(
    """the a an this that these those it he she they we i you his her their our its my there here in on at by
    for from with after before when while if as but and or so yet however moreover meanwhile then now what who
    why how der die das ein eine er sie es wir ich ihr im am an auf in bei nach vor mit aber und doch dann als
    wenn dieser diese le la les un une il elle ils elles nous je ce cette ces en dans mais et el los las lo
    una su en pero y
    он она они мы я это в на но и после когда"""
)
_WORD_BEFORE = re.compile(r"[^\s\"'“‘«(\[{]+$")
_DOTTED = re.compile(r"(?:\w\.)+\w")
_FIRST_WORD = re.compile(r"\w+")
_LOOKED_BACK, _LOOKED_AHEAD = 40, 40
_SHORT_LINE = 0.4  # of the longest line: a heading or an item, not a line that was broken to fit


def sentence_starts(text: str) -> list[int]:
    """The characters at which sentences begin, the first of them 0; they part the text without a rest."""
    longest = max(map(len, text.split("\n")))
    blank = len(text) - len(text.lstrip())  # at the beginning, which is no sentence
    ends = (found for found in _END.finditer(text) if blank < found.end() < len(text))
    return [0, *(found.end() for found in ends if _ends(text, found, longest))]


def _ends(text: str, found: re.Match[str], longest: int) -> bool:
    """Whether a sentence ends here."""
    ahead = text[found.end() : found.end() + _LOOKED_AHEAD]
    following = ahead.lstrip(_OPENING + "-–—•* \t\u00a0\u202f")
    if found.group().count("\n") > 1 or found["always"]:
        return True  # a blank line, or a sign that is nothing else
    if found["line"]:
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        return len(line.strip()) < _SHORT_LINE * longest and not following[:1].islower()
    if not following or following[0].islower():
        return False
    if not found["maybe"].startswith(".") or found["maybe"].startswith(".."):
        return True
    before = _WORD_BEFORE.search(text, max(0, found.start() - _LOOKED_BACK), found.start())
    starter = _FIRST_WORD.match(following)
    return _may_end(before.group() if before else "", starter.group() if starter else "")


@cache
def _may_end(word: str, following: str) -> bool:
    """Whether a full stop behind a word ends the sentence before the word that follows."""
    lower = word.lower()
    if lower in _TITLES:
        return False
    is_initial = len(word) == 1 and word.isupper()
    is_ordinal = word.isdecimal() and len(word) < 3
    if is_initial or is_ordinal or lower in _PERHAPS or _DOTTED.fullmatch(word):
        return following.lower() in _STARTERS
    return True
