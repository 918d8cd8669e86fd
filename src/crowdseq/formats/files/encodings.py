"""What to tell someone whose bytes are not in the encoding that was expected."""

import codecs

from crowdseq.errors import Advice, Problem

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
DEFAULT_ENCODING = "utf-8"


def wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, told by the byte order mark or by zeros in every other byte of plain text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    even, odd = head[0 : len(head) // 2 * 2 : 2], head[1::2]
    if len(odd) >= 4 and not even.count(0) and odd.count(0) > 0.4 * len(odd):
        return "utf-16-le"
    if len(odd) >= 4 and not odd.count(0) and even.count(0) > 0.4 * len(even):
        return "utf-16-be"
    return None


def not_decoded(error: UnicodeDecodeError, offset: int, encoding: str) -> Problem:
    """`byte 1,234 (0xE9) is not utf-8, …`; offset is where the piece began in the file."""
    place = f"byte {offset + error.start + 1:,}"
    if error.start >= len(error.object):
        return Problem(f"{place} is missing, the text ends inside a character ({encoding})")
    found = f"{place} (0x{error.object[error.start]:02X}) is not {encoding}"
    if codecs.lookup(encoding).name != DEFAULT_ENCODING:
        return Problem(found, advice=Advice("say the right one with {encoding}", encoding=""))
    if "unexpected end" in error.reason:
        return Problem(f"{found}: a character is cut off, the file may be incomplete")
    guess = _guess(error.object)
    seen = error.object[error.start : error.start + 1].decode(guess)
    advice = Advice("say {encoding}, or mend the file", encoding=guess)
    return Problem(f"{found}, it looks like {guess} ('{seen}'):", advice=advice)


def _guess(data: bytes) -> str:
    """Windows-1252 has signs where Latin-1 has only control codes."""
    if any(0x80 <= byte <= 0x9F for byte in data):
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "latin-1"
