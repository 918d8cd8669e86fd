"""write, write_consensus: a corpus or a consensus to a file or folder, whole or not at all."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, OutputExistsError, SettingsError, UsageError
from crowdseq.formats.format import Format, Notes
from crowdseq.formats.registry import FORMATS, find_format, format_for_writing
from crowdseq.formats.settings import PART
from crowdseq.storage.atomic import STANDARD_OUTPUT, AtomicFile, exists_already, standard_output
from crowdseq.storage.folders import AtomicFolder, claimed

# Lists, in every folder that we write, what we wrote: a folder with anything else is never replaced.
MARK = ".crowdseq"


def write(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str | None = None,
    force: bool = False,
    excel_safe: bool = False,
) -> tuple[str, ...]:
    """Write a corpus; the format is told by the name unless given. Gives a line for everything left out.

    excel_safe: in CSV, put an apostrophe before cells that a spreadsheet would take for a formula.

    >>> import crowdseq, tempfile
    >>> path = tempfile.mkdtemp() + "/crowd.jsonl.gz"
    >>> crowdseq.write(crowdseq.demo_corpus(), path)
    ()
    >>> crowdseq.read(path) == crowdseq.demo_corpus()
    True
    """
    name = os.fspath(path)
    if os.path.isdir(name) and name != STANDARD_OUTPUT:
        name = os.path.join(name, "")
    form = format_for_writing(format or "", name)
    options = _options(form, excel_safe)
    corpus = _in_documents(corpus, form)
    if form.write_folder is not None:
        return tuple(_write_folder(partial(form.write_folder, corpus), _folder(name, form), force))
    if form.write is None:
        raise SettingsError(
            f"a corpus cannot be written as {form.name}, choose one of {_able('write', 'write_folder')}"
        )
    return tuple(_write_file(partial(form.write, corpus, **options), name, force))


def write_consensus(
    consensus: Consensus,
    path: str | os.PathLike[str],
    format: str | None = None,
    force: bool = False,
    excel_safe: bool = False,
    with_names: bool = True,
    details: bool = False,
) -> tuple[str, ...]:
    """Write the settled tags with their confidence; the format is told by the name unless given.

    with_names: False leaves out of consensus JSONL who agreed, for a file that lies beside all votes.
    details: confidence and who agreed in columns too, which hold token and label otherwise.
    """
    name = os.fspath(path)
    form = format_for_writing(format or "", name)
    if form.name == "jsonl":
        form = find_format("consensus")
    options = _options(form, excel_safe)
    whole = _in_documents(consensus.corpus, form)
    if whole is not consensus.corpus:
        consensus = replace(consensus, corpus=whole)  # its tokens are the same, one behind the other
    if form.name == "consensus":
        options["with_names"] = with_names
    if form.has_details:
        options["details"] = details
    if form.write_consensus_folder is not None:
        return tuple(
            _write_folder(partial(form.write_consensus_folder, consensus), _folder(name, form), force)
        )
    if form.write_consensus is None:
        able = _able("write_consensus", "write_consensus_folder")
        raise SettingsError(f"{form.name} has no room for a consensus, choose one of {able}")
    return tuple(_write_file(partial(form.write_consensus, consensus, **options), name, force))


def write_consensus_lines(blocks: Iterable[Consensus], path: str, force: bool = False) -> None:
    """Consensus JSONL of a consensus that comes in blocks, of which one is in memory at a time."""
    form = find_format("consensus")

    def put(out: BinaryIO) -> Notes:
        for number, block in enumerate(blocks):
            assert form.write_consensus is not None
            form.write_consensus(block, out, goes_on=number > 0)
        return ()

    _write_file(put, path, force)


def _in_documents(corpus: Corpus, form: Format) -> Corpus:
    """A tool that marks characters gets back the documents that were cut into sentences."""
    if "sentences" not in form.settings or not any(PART in extras for extras in corpus.text.extras.values()):
        return corpus
    from crowdseq.formats.spans.documents import join_documents

    return join_documents(corpus)


def _folder(name: str, form: Format) -> Path:
    if name == STANDARD_OUTPUT:
        raise SettingsError(
            f"{form.name} writes a folder, standard output holds none:", Advice("name one with {out}", out="")
        )
    return Path(name)


def _options(form: Format, excel_safe: bool) -> dict[str, bool]:
    if excel_safe and not form.has_cells:
        advice = Advice("leave out {excel_safe}, which does nothing there", excel_safe="")
        raise SettingsError(f"{form.name} is no CSV:", advice)
    return {"excel_safe": True} if excel_safe else {}


def _able(*what: str) -> str:
    able = (name for name, form in FORMATS.items() if any(getattr(form, one) is not None for one in what))
    return ", ".join(able)


def _write_file(put: Callable[[BinaryIO], Notes], name: str, force: bool) -> Notes:
    if name == STANDARD_OUTPUT:
        out = standard_output()
        notes = put(out)
        out.flush()
        return notes
    with AtomicFile(name, force=force) as file:
        return put(file)


def _write_folder(put: Callable[[Path], Notes], folder: Path, force: bool) -> Notes:
    """Made beside its place, then moved; the old folder is there until the new one is whole."""
    _check_replaceable(folder, force)
    target = Path(os.path.realpath(folder))
    with claimed(target):
        _check_replaceable(folder, force)  # again, now that nobody else can write there
        with AtomicFolder(target) as made:
            notes = put(made.path)
            made.write(MARK, "\n".join(sorted(_files(made.path))).encode("utf-8"))
    return notes


def _check_replaceable(folder: Path, force: bool) -> None:
    if not folder.parent.is_dir():
        raise UsageError(f"{folder} cannot be written, the folder {folder.parent} does not exist")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise OutputExistsError(f"{folder} exists already and is no folder, choose another name")
    held = sorted(path.name for path in folder.iterdir())
    if held and not force:
        raise exists_already(str(folder))
    others = sorted(_files(folder) - _written_by_us(folder))
    if others:
        raise OutputExistsError(f"{folder} holds other files too ({others[0]}), choose another folder")


def _files(folder: Path) -> set[str]:
    """The files below a folder, our mark aside."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return {name for name in found if name != MARK}


def _written_by_us(folder: Path) -> set[str]:
    """The files that the mark lists; none without a mark."""
    mark = folder / MARK
    return set(mark.read_text("utf-8").split("\n")) if mark.is_file() else set()
