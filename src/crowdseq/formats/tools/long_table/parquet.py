"""The long table task, worker, label as Parquet."""

from crowdseq.formats.format import Format
from crowdseq.formats.tools.huggingface.parquet import read
from crowdseq.formats.tools.huggingface.writing import write_long

FORMAT = Format(
    name="long-parquet",
    summary="long table task, worker, label as Parquet; read as parquet is (extra: arrow)",
    settings=("layer", "files_mean"),
    read=read,
    write=write_long,
)
