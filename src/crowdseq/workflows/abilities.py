"""What can be done with a format, in words."""

from crowdseq.formats import Format


def abilities(form: Format) -> str:
    """`read`, `read, write`, with `write consensus` where settled tags fit in."""
    able = []
    if form.read is not None or form.read_folder is not None:
        able.append("read")
    if form.write is not None or form.write_folder is not None:
        able.append("write")
    if form.write_consensus is not None or form.write_consensus_folder is not None:
        able.append("write consensus")
    return ", ".join(able)
