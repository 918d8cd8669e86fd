"""From text with inline marks, `[PER Ada Morrow] slept.`, to documents of tokens and mentions."""

import re
from dataclasses import dataclass
from pathlib import Path

TYPES = ("PER", "ORG", "LOC", "MISC")

_MARK = re.compile(r"\[([A-Z]+) ([^\[\]]+)\]")
# Full stops stay with abbreviations; scores, times and decimals stay whole; a possessive 's stands alone.
_TOKEN = re.compile(
    r"""(?:Dr|St|Sept)\.|[ap]\.m\.      # abbreviations that occur in the texts
      | \d+(?:[.,:-]\d+)*(?:-\w+)*      # 14,000  3-1  2:07:41  19-year-old
      | 's\b
      | \w+(?:-\w+|'(?!s\b)\w+)*        # forty-one  didn't
      | [^\w\s]""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Mention:
    """Tokens `start` to `end` (half-open) name one thing of this type."""

    start: int
    end: int
    type: str


@dataclass(frozen=True)
class MarkedSentence:
    """Tokens and the true mentions in them, in order."""

    tokens: tuple[str, ...]
    mentions: tuple[Mention, ...]

    def name(self, mention: Mention) -> tuple[str, ...]:
        """The words of a mention, casefolded, because headlines and datelines shout."""
        return tuple(token.casefold() for token in self.tokens[mention.start : mention.end])


@dataclass(frozen=True)
class Document:
    """A short story: `topic` is the file it stands in, `id` its place there."""

    id: str
    topic: str
    sentences: tuple[MarkedSentence, ...]


def read_documents(path: Path) -> list[Document]:
    """One document per block of lines, one sentence per line; blank lines separate the blocks."""
    topic = path.stem
    documents: list[Document] = []
    block: list[MarkedSentence] = []
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
        if line.strip():
            block.append(parse_sentence(line, f"{path.name}:{number}"))
        elif block:
            documents.append(Document(f"{topic}-{len(documents) + 1:02}", topic, tuple(block)))
            block = []
    return documents


def parse_sentence(line: str, place: str = "text") -> MarkedSentence:
    """The tokens of a marked line and its mentions; a broken mark is a ValueError that names the place."""
    tokens: list[str] = []
    mentions: list[Mention] = []
    position = 0
    for mark in _MARK.finditer(line):
        tokens += _plain_tokens(line[position : mark.start()], place)
        words = tokenise(mark[2])
        if mark[1] not in TYPES:
            raise ValueError(f"{place}: unknown type {mark[1]!r}, use one of {', '.join(TYPES)}")
        mentions.append(Mention(len(tokens), len(tokens) + len(words), mark[1]))
        tokens += words
        position = mark.end()
    tokens += _plain_tokens(line[position:], place)
    return MarkedSentence(tuple(tokens), tuple(mentions))


def tokenise(text: str) -> list[str]:
    """Words, numbers and punctuation marks, each a token."""
    return _TOKEN.findall(text)


def tags_of(length: int, mentions: tuple[Mention, ...]) -> list[str]:
    """IOB2 tags of mentions that do not overlap."""
    tags = ["O"] * length
    for mention in mentions:
        tags[mention.start : mention.end] = [f"I-{mention.type}"] * (mention.end - mention.start)
        tags[mention.start] = f"B-{mention.type}"
    return tags


def _plain_tokens(text: str, place: str) -> list[str]:
    if "[" in text or "]" in text:
        raise ValueError(f"{place}: a bracket without its partner near {text.strip()!r}, write [TYPE words]")
    return tokenise(text)
