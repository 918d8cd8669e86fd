"""Folders of Hugging Face datasets: Parquet shards, or what save_to_disk leaves."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from crowdseq.formats.files.inputs import Folder
from crowdseq.formats.files.lines import read_text
from crowdseq.formats.files.sources import Source, open_source
from crowdseq.formats.findings.collector import Intake
from crowdseq.formats.format import NO, SURE, Format, Found
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.table_io.arrow import read_table
from crowdseq.formats.tools.huggingface.rows import found_in
from crowdseq.formats.tools.huggingface.writing import write_consensus_folder, write_dataset_folder

_SHARDS = (".parquet", ".arrow")
_ABOUT = "dataset_info.json"
_OWN = (_ABOUT, "state.json", "dataset_dict.json", "README.md")


def recognise_folder(folder: Folder) -> int:
    """A folder with shards in it."""
    return SURE if any(member.name.endswith(_SHARDS) for member in folder.members) else NO


def read_folder(folder: Folder, intake: Intake) -> Iterator[tuple[str, Found]]:
    """Every shard; without ids rows are numbered, each shard under its own name."""
    about = {str(PurePath(m.name).parent): m for m in folder.members if PurePath(m.name).name == _ABOUT}
    annotator = folder.stem if intake.settings.files_mean == "annotator" else None
    for member in folder.members:
        if not member.name.endswith(_SHARDS):
            continue
        features = _features(about.get(str(PurePath(member.name).parent)), intake)
        inside = PurePath(member.name).relative_to(PurePath(folder.name)).with_suffix("")
        with open_source(member, intake.settings.limits) as stream:
            table = read_table(stream, intake, features)
            prefix = f"{member.prefix}{inside.as_posix()}-"
            for found in found_in(table, member.name, intake, annotator, prefix):
                yield member.name, found


def strangers(folder: Folder) -> list[Source]:
    """Files that are neither shards nor what Hugging Face's library writes beside them."""
    others = [member for member in folder.members if not member.name.endswith(_SHARDS)]
    return [member for member in others if PurePath(member.name).name not in _OWN]


def _features(source: Source | None, intake: Intake) -> dict[str, Any]:
    if source is None:
        return {}
    with open_source(source, intake.settings.limits) as stream:
        text = read_text(stream, intake)
    try:
        value = loads(text, depth=intake.settings.limits.depth)
    except JsonFault:
        return {}  # only names of labels are sought here; without them the reader says what is missing
    features = value.get("features") if isinstance(value, dict) else None
    return features if isinstance(features, dict) else {}


FORMAT = Format(
    name="datasets",
    summary="folder of a Hugging Face dataset: Parquet shards or save_to_disk (extra: arrow)",
    settings=("layer", "files_mean"),
    recognise_folder=recognise_folder,
    read_folder=read_folder,
    strangers=strangers,
    write_folder=write_dataset_folder,
    write_consensus_folder=write_consensus_folder,
)
