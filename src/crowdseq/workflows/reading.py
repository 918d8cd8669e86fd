"""read: files to a corpus, for people who write Python."""

from os import PathLike
from typing import Any

from crowdseq.core.corpus import Corpus
from crowdseq.formats import read as read_files
from crowdseq.formats.settings import ReadSettings


def read(*paths: str | PathLike[str], **settings: Any) -> Corpus:
    """The corpus of one or more files or folders; settings as in `ReadSettings`, e.g. format="conll"."""
    return read_files(tuple(map(str, paths)), ReadSettings(**settings)).corpus
