"""Which column is what where no line of ours says it: by names, by what the cells are, by custom."""

from collections.abc import Sequence
from typing import NamedTuple

from crowdseq.errors import Advice, AnnotationError, SettingsError
from crowdseq.formats.tools.conll.columns import Columns, custom_columns
from crowdseq.formats.tools.conll.look import EMPTY, ONLY_OUTSIDE, TAGS, Look

_CUSTOMARY = (1, 2, 4)  # how many columns need no word: tokens, token and label, CoNLL-2003
PREDICTED = "predicted"  # the name of the column that a tagger adds
_SHOWN_COLUMNS = 20
_ROLES = ("token", "gold", "label", "annotator", "worker", "column")


class Guess(NamedTuple):
    """What columns hold, and what to tell of it; nothing where it is as everybody writes it."""

    columns: Columns
    told: str = ""


def guess_columns(look: Look, annotator: str | None, *, last: bool = False) -> Guess:
    """Columns by their names if there are some, else the token first and the label last, unless the last
    column plainly holds something else. last: the label is in the last column, as a tagger writes it."""
    if last and look.size > 1 and _ends_in_labels(look):
        found = _with_label(look, look.size - 1, annotator)
        return Guess(found, "the first line names the columns" if look.names else "")
    if look.names is not None:
        return _by_names(look, annotator)
    label = look.size - 1
    if look.size > 2 and look.kinds[label] not in (TAGS, ONLY_OUTSIDE) and len(look.labelled) > 1:
        shown = " and ".join(str(place + 1) for place in look.labelled)
        raise _unclear(f"columns {shown} hold labels and the last one does not:")
    is_silent = bool(look.rows) and look.kinds[label] == ONLY_OUTSIDE and look.token == 0
    if look.size > 2 and look.kinds[label] != TAGS and look.labelled and not is_silent:
        label = look.labelled[0]
    if look.token == 0 and label == look.size - 1:
        columns = custom_columns(look.size, annotator, look.rows[0] if look.rows else ())
        is_usual = look.size in _CUSTOMARY or set(columns.others) == {"confidence", "agreed"}
        return Guess(columns, "" if is_usual else _told(look, columns))
    columns = _with_label(look, label, annotator)
    return Guess(columns, _told(look, columns))


def _ends_in_labels(look: Look) -> bool:
    names = look.names or [""]
    return look.kinds[-1] in (TAGS, ONLY_OUTSIDE) or names[-1].lower() == PREDICTED


def _by_names(look: Look, annotator: str | None) -> Guess:
    names = look.names or []
    label, people = look.named_label(), look.labelled
    if label is None and len(people) > 1:
        gold = next((place for place in people if names[place].lower() == "gold"), None)
        voters = {names[place]: place for place in people if place != gold}
        others = _others(look, {look.token, *people})
        columns = Columns(look.size, look.token, gold, voters, others)
        return Guess(columns, f"the first line names the columns: annotators are {', '.join(voters)}")
    if label is None and not people:
        raise _unclear(f"the first line names columns ({', '.join(names)}), and none holds labels:")
    columns = _with_label(look, people[0] if label is None else label, annotator)
    return Guess(columns, f"the first line names the columns: {_shown(look, columns)}")


def _with_label(look: Look, label: int, annotator: str | None) -> Columns:
    others = _others(look, {look.token, label})
    if annotator is None:
        return Columns(look.size, look.token, label, {}, others)
    return Columns(look.size, look.token, None, {annotator: label}, others)


def _others(look: Look, taken: set[int]) -> dict[str, int]:
    """Further columns by their names or numbers; running numbers and columns without a value are no use."""
    left = [place for place in range(look.size) if place not in taken]
    if look.names is not None:
        return {name: place for place in left if (name := look.names[place].strip()) and name not in "_-"}
    is_number = {0} if look.token == 1 else set()
    return {
        f"column{place + 1}": place for place in left if place not in is_number and look.kinds[place] != EMPTY
    }


def _told(look: Look, columns: Columns) -> str:
    return f"the columns are not named, taken for {_shown(look, columns)}"


def _shown(look: Look, columns: Columns) -> str:
    names = look.names or [str(place + 1) for place in range(look.size)]
    label = columns.gold if columns.gold is not None else next(iter(columns.annotators.values()), None)
    word = "" if look.names else "column "
    labels = f", labels in {word}{names[label]}" if label is not None else ""
    kept = [names[place] for place in columns.others.values()]
    more = ", …" if len(kept) > _SHOWN_COLUMNS else ""
    told = f", also kept: {', '.join(kept[:_SHOWN_COLUMNS])}{more}" if kept else ""
    return f"tokens in {word}{names[columns.token]}{labels}{told}"


def _unclear(what: str) -> AnnotationError:
    return AnnotationError(what, Advice("say which column is what: {columns}", columns="token=1,gold=2"))


def named_columns(fields: Sequence[str], look: Look, annotator: str | None) -> Columns:
    """`token=WORD`, `gold=3`, `annotator=ann1`, `column=POS`: columns by name or by number from 1."""
    token, gold, annotators, others = None, None, dict[str, int](), dict[str, int]()
    for field in fields:
        role, _, name = field.partition("=")
        if role not in _ROLES:
            raise SettingsError(f"column '{field}' has no meaning here, say {', '.join(_ROLES)} before the =")
        place = _place(name, look)
        if role == "token":
            token = place
        elif role == "gold" or (role == "label" and annotator is None):
            gold = place
        elif role == "column":
            others[name] = place
        else:
            annotators[annotator if role == "label" and annotator else name] = place
    return Columns(look.size, look.token if token is None else token, gold, annotators, others)


def _place(name: str, look: Look) -> int:
    names = [one.strip() for one in look.names or ()]
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= look.size:
        return int(name) - 1
    known = ", ".join(names) if names else f"1 to {look.size}"
    raise SettingsError(f"there is no column '{name}', but {known}")
