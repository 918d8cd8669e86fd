"""Advice names settings, and each door words them."""

import pickle

from crowdseq.errors import Advice, FormatError, Problem, SettingsError


def on_command_line(name: str, value: str) -> str:
    return f"--{name.replace('_', '-')} {value}".rstrip()


def test_advice_is_worded_by_each_door() -> None:
    advice = Advice("say {files_mean}, else name only {0}", "a.txt", files_mean="gold")
    assert str(advice) == "say files_mean='gold', else name only a.txt"
    assert advice.worded(on_command_line) == "say --files-mean gold, else name only a.txt"


def test_a_setting_without_a_value_is_only_named() -> None:
    advice = Advice("choose one with {layer}", layer="")
    assert str(advice) == "choose one with layer="
    assert advice.worded(on_command_line) == "choose one with --layer"


def test_python_may_have_a_text_of_its_own() -> None:
    advice = Advice("start anew with {force}", force="").or_in_python("remove the folder")
    assert str(advice) == "remove the folder"
    assert advice.worded(on_command_line) == "start anew with --force"


def test_braces_in_data_are_left_alone() -> None:
    problem = Problem("odd {cell}", "f.csv", 3, advice=Advice("drop {0}", "{x}"))
    assert str(problem) == "f.csv:3: odd {cell}, drop {x}"


def test_an_error_says_what_is_wrong_and_what_to_do() -> None:
    error = SettingsError("run exists already", Advice("choose another, or {force}", force=""))
    assert str(error) == "run exists already, choose another, or force="
    assert error.worded(on_command_line) == "run exists already, choose another, or --force"


def test_every_problem_of_a_format_error_is_worded() -> None:
    first, second = Problem("a:", advice=Advice("say {layer}", layer="x")), Problem("b", "f")
    error = FormatError(first, second)
    assert str(error) == "a: say layer='x'\nf: b"
    assert error.worded(on_command_line) == "a: say --layer x\nf: b"


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(SettingsError("a", Advice("say {layer}", layer="x"))))
    assert str(error).startswith("a")


def test_an_error_with_thousands_of_problems_shows_the_first_and_counts_the_rest() -> None:
    error = FormatError(*(Problem("is odd", "crowd.jsonl", line) for line in range(1, 3001)))
    assert len(error.problems) == 3000
    assert str(error).splitlines()[0] == "crowd.jsonl:1: is odd"
    assert str(error).splitlines()[20:] == ["… and 2,980 more: `problems` of this error has all"]
