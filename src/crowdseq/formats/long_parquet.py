"""The long table task, worker, label as Parquet."""

from crowdseq.formats.arrow_writing import write_long
from crowdseq.formats.format import Format
from crowdseq.formats.parquet import read

FORMAT = Format(
    name="long-parquet",
    summary="long table task, worker, label as Parquet; read as parquet is (extra: arrow)",
    settings=("layer", "files_mean"),
    read=read,
    write=write_long,
)
