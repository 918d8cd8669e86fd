"""Tables at a terminal: long words are broken where the terminal ends, and figures stay in their columns."""

from crowdseq.reports.tables import Table, as_text, decimal, following, show, span_of

WHY = "estimated F1 .55 (.49 to .62) on 316 spans; overlooks 58 % of the spans"
TABLE = Table(("annotator", "skill", "why"), (("ana", 0.95, "good"), ("cleo", 0.575, WHY)))


def test_elsewhere_than_at_a_terminal_a_row_is_one_line() -> None:
    assert as_text(TABLE).splitlines()[3] == f"cleo       0.575  {WHY}"
    assert as_text(TABLE, 500) == as_text(TABLE)


def test_the_last_column_is_broken_where_the_terminal_ends() -> None:
    lines = as_text(TABLE, 60).splitlines()
    assert lines[2:] == [
        "ana        0.950  good",
        "cleo       0.575  estimated F1 .55 (.49 to .62) on 316",
        "                  spans; overlooks 58 % of the spans",
    ]
    assert max(map(len, lines)) <= 60


def test_where_it_would_be_narrow_it_stands_below_its_row() -> None:
    lines = as_text(TABLE, 50).splitlines()
    assert lines[0] == "annotator  skill"
    assert lines[2:6] == [
        "ana        0.950",
        "    good",
        "cleo       0.575",
        "    estimated F1 .55 (.49 to .62) on 316 spans;",
    ]
    assert max(map(len, lines)) <= 50


def test_no_word_is_lost_in_a_terminal_of_any_width() -> None:
    for width in range(1, 120):
        told = as_text(TABLE, width).replace("─", " ").split()
        assert sorted("".join(told)) == sorted("".join(as_text(TABLE, 500).replace("─", " ").split())) or (
            "why" not in told  # its heading is left out where it stands below
        )
        assert "".join(WHY.split()) in "".join(told)


def test_a_last_column_of_figures_is_never_broken() -> None:
    table = Table(("annotator", "spans"), (("a" * 30, 1234567),))
    assert as_text(table, 10) == as_text(table)


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert [decimal(value) for value in (-0.001, 0.004, -0.006)] == ["0.00", "0.00", "−0.01"]
    assert show(-0.0001) == "0.000"
    assert span_of(-0.004, 0.2) == "0.00 to 0.20"
    assert span_of(None, None) is None


def test_one_more_is_told_as_one() -> None:
    assert [following(number, "pair") for number in (1, 2)] == ["The next pair", "The next 2 pairs"]
