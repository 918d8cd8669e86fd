"""Steps of an optimiser are told once they take a while, and change nothing."""

from crowdseq.engines.engine import asks_only
from crowdseq.engines.local import LocalEngine
from crowdseq.workflows.sharded.steps import Steps, ToldEngine, told_engine


class Part:
    @asks_only
    def evaluate(self, number: int) -> int:
        return number


class Worker:
    def __init__(self, number: int) -> None:
        self.number, self.crf = number, Part()

    def aim(self) -> int:
        return self.number


def test_steps_are_told_when_they_take_a_while() -> None:
    told: list[tuple[str, int, int]] = []
    times = iter([0.0, 2.0, 4.9, 5.0, 60.0, 61.0, 66.0])
    steps = Steps(lambda *one: told.append(one), lambda: next(times))
    for call in (
        "aim",
        "crf.evaluate",
        "crf.evaluate",
        "crf.evaluate",
        "aim",
        "crf.evaluate",
        "crf.evaluate",
    ):
        steps(call)
    assert told == [("steps of the CRF", 3, 0), ("steps of the CRF", 2, 0)]


def test_an_engine_that_tells_answers_as_it_would() -> None:
    engine = told_engine(LocalEngine(2), lambda *_: None)
    assert isinstance(engine, LocalEngine)  # who asks for the kind of engine gets the same answer
    assert engine.threads == 2
    heard: list[str] = []
    for one in (engine, ToldEngine(LocalEngine(2), heard.append)):
        placed = one.place(Worker, [3, 4])
        assert placed.each("aim") == [3, 4]
        assert placed.each("crf.evaluate", own=[5, 6]) == [5, 6]
    assert heard == ["aim", "crf.evaluate"]
