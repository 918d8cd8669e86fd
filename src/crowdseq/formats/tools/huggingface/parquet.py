"""Parquet and Arrow files: rows with tokens and tags as in Hugging Face datasets, or a long table."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from crowdseq.formats.conventions.roles import annotator_asked_for, is_gold
from crowdseq.formats.files.lines import read_text
from crowdseq.formats.files.sources import Folder, Source, Stream, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import LIKELY, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.table_io.arrow import ARROW_FILE_MARK, ARROW_STREAM_MARK, PARQUET_MARK, read_table
from crowdseq.formats.tools.huggingface.rows import found_in
from crowdseq.formats.tools.huggingface.writing import (
    write_consensus,
    write_consensus_folder,
    write_dataset,
    write_dataset_folder,
    write_long,
)

_SHARDS = (".parquet", ".arrow")
_ABOUT = "dataset_info.json"
_OWN = (_ABOUT, "state.json", "dataset_dict.json", "README.md")


def recognise(sample: Sample) -> int:
    """Told by its first bytes."""
    if sample.head.startswith((PARQUET_MARK, ARROW_FILE_MARK)):
        return SURE
    return LIKELY if sample.head.startswith(ARROW_STREAM_MARK) and sample.has_extension(("arrow",)) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Whose labels they are stands in a column, or the file is gold unless the settings say otherwise."""
    annotator = annotator_asked_for(source.stem, collector)
    yield from found_in(read_table(stream, collector), stream.name, collector, annotator, source.prefix)


def recognise_folder(folder: Folder) -> int:
    """A folder with shards in it."""
    return SURE if any(member.name.endswith(_SHARDS) for member in folder.members) else NO


def read_folder(folder: Folder, collector: Collector) -> Iterator[tuple[str, ReadRecord]]:
    """Every shard; without ids rows are numbered, each shard under its own name."""
    about = {str(PurePath(m.name).parent): m for m in folder.members if PurePath(m.name).name == _ABOUT}
    annotator = annotator_asked_for(folder.stem, collector)
    for member in folder.members:
        if not member.name.endswith(_SHARDS):
            continue
        features = _features(about.get(str(PurePath(member.name).parent)), collector)
        inside = PurePath(member.name).relative_to(PurePath(folder.name)).with_suffix("")
        with open_source(member, collector.settings.limits) as stream:
            table = read_table(stream, collector, features)
            prefix = f"{member.prefix}{inside.as_posix()}-"
            whose = None if is_gold(member.stem) else annotator
            for found in found_in(table, member.name, collector, whose, prefix):
                yield member.name, found


def other_files(folder: Folder) -> list[Source]:
    """Files that are neither shards nor what Hugging Face's library writes beside them."""
    others = [member for member in folder.members if not member.name.endswith(_SHARDS)]
    return [member for member in others if PurePath(member.name).name not in _OWN]


def _features(source: Source | None, collector: Collector) -> dict[str, Any]:
    if source is None:
        return {}
    with open_source(source, collector.settings.limits) as stream:
        text = read_text(stream, collector)
    try:
        value = loads(text, depth=collector.settings.limits.depth)
    except JsonFault:
        return {}  # only names of labels are sought here; without them the reader says what is missing
    features = value.get("features") if isinstance(value, dict) else None
    return features if isinstance(features, dict) else {}


FORMAT = Format(
    name="parquet",
    summary="Parquet or Arrow: tokens, ner_tags and annotator as in datasets, or a long table (extra: arrow)",
    extensions=("parquet", "arrow"),
    settings=("layer", "files_mean"),
    recognise=recognise,
    read=read,
    write=write_dataset,
    write_consensus=write_consensus,
)


FOLDER_FORMAT = Format(
    name="datasets",
    summary="folder of a Hugging Face dataset: Parquet shards or save_to_disk (extra: arrow)",
    settings=("layer", "files_mean"),
    recognise_folder=recognise_folder,
    read_folder=read_folder,
    other_files=other_files,
    write_folder=write_dataset_folder,
    write_consensus_folder=write_consensus_folder,
)


LONG_FORMAT = Format(
    name="long-parquet",
    summary="long table task, worker, label as Parquet; read as parquet is (extra: arrow)",
    settings=("layer", "files_mean"),
    read=read,
    write=write_long,
)
