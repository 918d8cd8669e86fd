"""No damage to an export of another tool brings down its reader."""

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import corpus
from crowdseq.errors import CrowdseqError, MissingExtraError
from crowdseq.formats import read, write

TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Ner|value\n\n\n#Text=Ada slept\n"
    "1-1\t0-3\tAda\tPER[1]|X[2]\t\n1-1.1\t0-2\tAd\tY\t\n"
)
CONLL_U = "# sent_id = a\n1\tAda\tAda\tX\tY\t_\t0\troot\t_\tNER=B-PER\n2\tslept\t_\t_\t_\t_\t1\tx\t_\tNER=O\n"
CAS = (
    '{"%TYPES": {}, "%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, '
    '"sofaID": "_InitialView", "mimeType": "text", "sofaString": "Ada slept"}, {"%ID": 2, "%TYPE": '
    '"uima.tcas.Annotation", "@sofa": 1, "begin": 0, "end": 3}], "%VIEWS": {"_InitialView": {"%SOFA": 1, '
    '"%MEMBERS": [2]}}}'
)
MTURK = (
    '"HITId","WorkerId","Input.text","Answer.a"\n'
    '"H1","W1","Ada slept","{""x"":{""entities"":[{""startOffset"":0,""endOffset"":3,""label"":""P""}]}}"\n'
)
BY_HAND = {
    "webanno-tsv": TSV,
    "uima-cas": CAS,
    "mturk": MTURK,
    "brat": "T1\tPER 0 3\tAda\nT2\tLOC 0 1;4 9\tA slept\n#1\tNote T1\tx\n",
    "conll-u": CONLL_U,
    "answers": "EU ? B-ORG O\nrejects ? O O\n",
    "mace": "B-PER,,O\nI-PER,O,\n\n,B-LOC,B-LOC\n",
}
WRITTEN = ("long", "parquet", "long-parquet", "docbin")
SCRAPS = [
    b"\0",
    b"\n",
    b"\r",
    b'"',
    b"{",
    b"]",
    b"\\",
    b"\xe9",
    b"\t",
    b"?",
    b"NaN",
    b"-1",
    b"9" * 25,
    b"|",
    b"[1]",
]


@cache
def export(form: str) -> bytes:
    if form in BY_HAND:
        return BY_HAND[form].encode()
    with tempfile.TemporaryDirectory() as folder:
        write(corpus("Ada/B-PER/B-PER/O slept/O/O/O", docs=["d"]), Path(folder) / "f", format=form)
        return (Path(folder) / "f").read_bytes()


@pytest.mark.parametrize("form", [*BY_HAND, *WRITTEN])
@given(
    places=st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(SCRAPS), st.integers(0, 3)), min_size=1, max_size=4
    ),
    cut=st.none() | st.floats(0, 1),
    is_strict=st.booleans(),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_a_damaged_export_is_read_or_refused_in_words(
    form: str, places: list[tuple[float, bytes, int]], cut: float | None, is_strict: bool
) -> None:
    try:
        data = export(form)
    except MissingExtraError as error:
        pytest.skip(str(error))
    for where, scrap, lost in places:
        place = int(where * len(data))
        data = data[:place] + scrap + data[place + lost :]
    data = data if cut is None else data[: int(cut * len(data))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("a/d.ann" if form == "brat" else "file")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        if form == "brat":
            path.with_suffix(".txt").write_text("Ada slept")
        try:
            read(folder if form == "brat" else path, format=form, on_error="stop" if is_strict else "skip")
        except CrowdseqError as error:
            assert str(error)  # noqa: PT017
