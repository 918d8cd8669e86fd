"""RayPlaced: shards that actors of Ray hold, asked in turns; what a dead one held is made again."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol

from crowdseq.engines.engine import W
from crowdseq.engines.ray_holder import Key, Question
from crowdseq.engines.ray_sending import Senders, Sending, size_of
from crowdseq.engines.shelf import Reply
from crowdseq.errors import Advice, FormatError, Problem, UsageError
from crowdseq.storage.own_memory import give_back

_MOST_DEATHS = 5  # of workers in one call: then it is no accident
_AHEAD = 4  # calls that wait at a worker: enough to keep it busy, few enough to bound what waits in memory
_MOST_REPLAYED = 5.0  # seconds of work of one worker that may have to be done again, if keeping costs less
_KEEPING_SHARE = 10.0  # keeping states takes at most one second in so many
_NOTHING = "nothing of it was kept"
_MUCH_TO_SEND = 1 << 26  # bytes that a call sent: they are not kept to be sent again


@dataclass
class Traffic:
    """What went between driver and workers so far, in bytes, and how many workers had to be replaced."""

    out: int = 0
    back: int = 0
    replaced: int = 0


class Actors(Protocol):
    """What a placement needs of its engine."""

    actors: list[Any]
    traffic: Traffic
    forgotten: list[tuple[int, Path]]

    def replace(self, slot: int) -> None: ...


@dataclass(frozen=True, eq=False)
class Call:
    """One question to all shards, so that it can be asked again."""

    question: Question
    shared: Any
    sending: Sending

    def ask(self, actor: Any, key: Key, slot: int) -> Any:
        """A reference to what the worker of a shard says."""
        own, rows = self.sending.of(key[1]), self.sending.rows_of(slot)
        return actor.ask.remote(key, self.question, self.shared, own, rows)


@dataclass
class Journal:
    """The calls that changed workers since their states were last kept, and how long they took.

    kept: the turn whose states are the last that all shards kept; 0 for the shards as they were made.
    """

    kept: int = 0
    calls: list[Call] = field(default_factory=list)
    seconds: float = 0.0
    keeping: float = 0.0  # seconds that it took the last time

    def wants_states(self, sending: Sending, n_workers: int) -> bool:
        """Whether the next call should leave states behind."""
        most = max(_MOST_REPLAYED, _KEEPING_SHARE * self.keeping / n_workers)
        return sending.n_bytes > _MUCH_TO_SEND or self.seconds / n_workers > most

    def add(self, call: Call, told: Sequence[Reply]) -> None:
        """A call that all have answered."""
        took = [one.seconds for one in told if one.seconds is not None]
        if not took:
            return
        if call.question.save:
            self.kept, self.calls, self.seconds = call.question.turn, [], 0.0
            self.keeping = sum(one.saving for one in told)
            return
        self.calls.append(call)
        self.seconds += sum(took)


Submit = Callable[[Any, int], Any]  # an actor and its number to a reference to its answer


@contextmanager
def _room_told(ray: Any) -> Iterator[None]:
    """One line where what goes to workers, or comes back, fits nowhere."""
    try:
        yield
    except (ray.exceptions.ObjectStoreFullError, ray.exceptions.OutOfDiskError):
        raise UsageError(
            "Ray has no room left for what workers and driver tell each other: give it more memory or disk"
        ) from None


class RayPlaced(Generic[W]):
    """Shards go round the actors in turn, so that each has about as many tokens."""

    def __init__(self, ray: Any, engine: Actors, number: int, folder: Path, shards: Sequence[Any]) -> None:
        self.number = number
        self._ray, self._engine, self._folder, self._shards = ray, engine, folder, shards
        errors = ray.exceptions
        # Beside dead processes: one ended for want of memory, and an answer that went with its machine.
        self._losses = (errors.RayActorError, errors.OutOfMemoryError, errors.ObjectLostError)
        self._senders = Senders(ray, number)
        self._journal = Journal()
        self._turn = 0
        self._maker: Any = None
        self._current: Call | None = None
        self._answered: dict[int, bool] = {}  # and whether that changed the worker
        self._waiting: dict[int, tuple[Any, Submit]] = {}

    def begin(self, make: Callable[[Any], W]) -> None:
        """Make the workers of all shards."""
        with _room_told(self._ray):
            self._maker = self._ray.put(make)
            self._run(self._placing(place) for place in range(len(self._shards)))

    def _placing(self, place: int) -> Submit:
        shard = self._shards[place]
        return lambda actor, _: actor.place.remote(self._key(place), self._path(place), self._maker, shard)

    def each(self, call: str, *shared: object, own: Sequence[object] | None = None) -> list[Any]:
        with _room_told(self._ray):
            told = self._ask(call, shared, own)
        if any(one.seconds is not None for one in told):
            give_back()  # of what the calls before it needed; questions alone are too many for that
        answers = [one.given for one in told]
        self._engine.traffic.back += size_of(answers)
        # What comes from the store cannot be changed; the sum of a single shard is the very thing it gave.
        return deepcopy(answers) if len(answers) == 1 else answers

    def _ask(self, call: str, shared: tuple[object, ...], own: Sequence[object] | None) -> list[Reply]:
        """One turn, written into the journal."""
        self._turn += 1
        actors, journal = self._engine.actors, self._journal
        sending = self._senders.sending(own, actors)
        question = Question(self._turn, call, journal.wants_states(sending, len(actors)))
        self._current = current = Call(question, self._ray.put(shared), sending)
        self._engine.traffic.out += size_of(shared) * len(actors) + sending.n_bytes

        def asking(place: int) -> Submit:
            return lambda actor, slot: current.ask(actor, self._key(place), slot)

        told: list[Reply] = self._run(asking(place) for place in range(len(self._shards)))
        journal.add(current, told)
        self._current = None
        self._answered = dict.fromkeys(range(len(self._shards)), False)  # what it changed is in the journal
        return told

    def _key(self, place: int) -> Key:
        return self.number, place

    def _path(self, place: int) -> Path:
        return self._folder / f"{place:05d}"

    def _run(self, calls: Iterator[Submit]) -> list[Any]:
        """The answers in the order of the shards; a worker that dies is replaced, and asked again."""
        answers: list[Any] = []
        self._answered.clear()
        self._waiting.clear()
        deaths, asked, actors = 0, 0, self._engine.actors
        while len(answers) < len(self._shards):
            while asked < len(self._shards) and len(self._waiting) < _AHEAD * len(actors):
                submit, slot = next(calls), asked % len(actors)
                self._waiting[asked] = (submit(actors[slot], slot), submit)
                asked += 1
            place = len(answers)
            try:
                answers.append(self._get(self._waiting[place][0], place))
                del self._waiting[place]
                self._answered[place] = isinstance(answers[-1], Reply) and answers[-1].seconds is not None
            except self._losses:
                deaths += 1
                if deaths > _MOST_DEATHS:
                    why = "its workers die again and again, perhaps for want of memory"
                    raise self._lost(place, why) from None
                self._replace(place % len(actors))
        return answers

    def _get(self, reference: Any, place: int) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, LookupError) and self._path(place).name in str(error.cause):
                raise self._lost(place, _NOTHING) from None
            raise (error.cause or error) from None

    def _replace(self, slot: int) -> None:
        """Hire until one of them lives long enough to take over."""
        for _ in range(_MOST_DEATHS):
            with suppress(*self._losses):
                self._engine.replace(slot)
                break
        for place in [place for place in self._waiting if place % len(self._engine.actors) == slot]:
            submit = self._waiting[place][1]
            self._waiting[place] = (submit(self._engine.actors[slot], slot), submit)

    def hand_over(self, slot: int) -> None:
        """Let a new actor take up the shards of one that died, as they were before what it is asked next."""
        actor = self._engine.actors[slot]
        places = range(slot, len(self._shards), len(self._engine.actors))
        if not places:  # the actor came with a later placement, of more shards
            return
        self._senders.tell(actor, slot)
        for place in places:
            is_behind = place in self._waiting or place not in self._answered
            turn = self._turn + (0 if is_behind else 1)
            if turn > 0:
                self._make_again(place, turn, actor, slot)

    def _make_again(self, place: int, turn: int, actor: Any, slot: int) -> None:
        """A worker as it was before a turn: from its last state, or from its shard, by the calls since."""
        key = self._key(place)
        found = self._get(actor.take_over.remote(key, self._path(place), turn), place)
        if (found or 0) < self._journal.kept:
            raise self._lost(place, _NOTHING)
        if found is None:
            self._get(self._placing(place)(actor, slot), place)
        calls = list(self._journal.calls)
        if self._current is not None and self._answered.get(place):
            calls.append(self._current)
        for call in calls:
            if (found or 0) < call.question.turn < turn:
                self._get(call.ask(actor, key, slot), place)

    def _lost(self, place: int, why: str) -> FormatError:
        shard = self._shards[place]
        where = str(getattr(shard, "path", "in memory"))
        advice = Advice("go on from the last round with {resume}", resume="")
        return FormatError(Problem(f"shard {place} is lost: {why}", where, advice=advice))

    def __del__(self) -> None:
        # Ray must not be called here: it may be over, and would start anew, or be in the middle of a call.
        self._engine.forgotten.append((self.number, self._folder))
