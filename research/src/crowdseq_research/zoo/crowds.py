"""The crowds of the zoo: kinds, sizes and seeds. Fixed before the methods that are judged by it.

Every kind weighs the same, whatever the number of its crowds. Draws from the Mechanical Turk crowd are of its
`val` documents alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq_research.zoo import cast_crowds, real_crowds, simulated_crowds

Make = Callable[[Path, int], Corpus]


@dataclass(frozen=True)
class Crowd:
    """make: from the data folder and the number of the draw; draws: how many are averaged.

    people: whether labels are by people (or made up as if), not by labelling functions.
    """

    name: str
    kind: str
    make: Make
    draws: int = 1
    people: bool = True


def _kind(kind: str, crowds: dict[str, Make], draws: int = 1, *, people: bool = True) -> tuple[Crowd, ...]:
    return tuple(Crowd(name, kind, make, draws, people) for name, make in crowds.items())


_real, _sim, _cast = real_crowds, simulated_crowds, cast_crowds

ZOO: tuple[Crowd, ...] = (
    *_kind("AMT, all of val", {"amt-val": _real.amt_val}),
    *_kind("AMT, few documents", {f"amt-{n}": _real.amt_documents(n) for n in (50, 200)}, 5),
    *_kind("AMT, few documents", {"amt-100": _real.amt_documents(100)}, 20),
    *_kind("AMT, more documents", {"amt-500": _real.amt_documents(500)}, 20),
    *_kind("AMT, more documents", {"amt-2000": _real.amt_documents(2000)}, 2),
    *_kind("AMT, few annotators", {f"amt-500-by-{k}": _real.amt_fewer(500, k) for k in (1, 2, 3)}, 5),
    *_kind("AMT, one document", {"amt-one-document": _real.amt_one_document(500)}, 5),
    *_kind("PICO", {"pico": _real.pico}),
    *_kind("PICO", {"pico-40-abstracts": _real.pico_documents(40)}, 5),
    *_kind("Chinese opinions", {"oei": _real.oei}),
    *_kind("Chinese opinions", {"oei-200": _real.oei_documents(200)}, 5),
    *_kind("parts of speech", {"pos": _real.pos}),
    *_kind("parts of speech", {"pos-200": _real.pos_documents(200)}, 5),
    *_kind("labelling functions, news", {"wikigold": _real.wikigold}, people=False),
    *_kind("labelling functions, news", {"wikigold-300": _real.wikigold_documents(300)}, 5, people=False),
    *_kind("labelling functions, reviews", {"laptop": _real.laptop}, people=False),
    *_kind("labelling functions, reviews", {"laptop-500": _real.laptop_documents(500)}, 5, people=False),
    *_kind("labelling functions, medicine", {"weak-ncbi": _real.weak_ncbi}, people=False),
    *_kind("simulated, poor", {f"poor-{name}": _sim.simulated(name, 5, 0.1) for name in _sim.CORPORA}),
    *_kind("simulated, middling", {f"mid-{name}": _sim.simulated(name, 5, 0.5) for name in _sim.CORPORA}),
    *_kind("simulated, good", {f"good-{name}": _sim.simulated(name, 5, 0.9) for name in _sim.CORPORA}),
    *_kind(
        "simulated, many annotators",
        {
            "many-poor-ncbi_disease": _sim.simulated("ncbi_disease", 15, 0.1),
            "many-conll2003": _sim.simulated("conll2003", 15, 0.3),
            "many-few-each-jnlpba": _sim.simulated("jnlpba", 15, 0.5, per_sentence=3),
        },
    ),
    *_kind(
        "simulated, two annotators",
        {f"two-{name}": _sim.simulated(name, 2, 0.7) for name in ("conll2003", "bc2gm")},
    ),
    *_kind("simulated evenly", {f"even-{name}": _sim.evenly(name) for name in _sim.CORPORA}),
    *_kind("simulated tags", {"tags-5": _sim.tags(5, 0.7), "tags-3": _sim.tags(3, 0.5)}, 2),
    *_kind("independent", {"five-mid": _cast.five_mid, "two-mid": _cast.two_mid}, 3),
    *_kind("independent", {"three-good": _cast.three_good}, 3),
    *_kind("one great, four bad", {"great-and-bad": _cast.great_and_bad}, 3),
    *_kind("blanks", {"two-and-blanks": _cast.two_and_blanks, "five-and-blanks": _cast.five_and_blanks}, 3),
    *_kind("guessers", {"three-and-guessers": _cast.three_and_guessers}, 3),
    *_kind("exact copies", {"exact-mid": _cast.exact_copies, "exact-bad": _cast.exact_bad_copies}, 3),
    *_kind("noisy copies", {"noisy-mid": _cast.noisy_copies, "noisy-bad": _cast.noisy_bad_copies}, 3),
    *_kind("noisy copies", {"noisy-bad-seven": _cast.noisy_bad_of_seven}, 3),
    *_kind("loose copies", {"loose-mid": _cast.loose_copies}, 3),
    *_kind("families", {"families": _cast.families}, 3),
    *_kind("everybody great", {"three-great": _cast.three_great, "five-great": _cast.five_great}, 3),
    *_kind("alone", {"alone-expert": _cast.alone_expert, "alone-bad": _cast.alone_bad}, 3),
    *_kind("alone", {"each-alone": _cast.each_alone}, 3),
    *_kind("little overlap", {"overlap-experts": _cast.overlap_experts, "overlap-mid": _cast.overlap_mid}, 3),
    *_kind("two who disagree on a type", {"two-disagree": _cast.two_disagree}, 3),
    *_kind("permuted labels", {"one-permuted": _cast.one_permuted}, 3),
    *_kind("timid", {"five-timid": _cast.five_timid}, 3),
    *_kind("other texts", {"four-mid-ncbi": _cast.mid_ncbi, "copies-jnlpba": _cast.copies_jnlpba}, 3),
)  # fmt: skip

# Learned from once, when nothing is chosen any more: all of the Mechanical Turk crowd, with its `test` part.
FINAL: tuple[Crowd, ...] = _kind("AMT, all", {"amt-all": _real.amt_all})

QUICK = (
    "amt-100", "amt-500-by-2", "weak-ncbi", "pos-200", "two-mid", "two-and-blanks", "noisy-bad", "exact-mid",
    "alone-expert", "overlap-experts",
)  # fmt: skip


def find_crowd(name: str) -> Crowd:
    """The crowd of this name."""
    return next(crowd for crowd in (*ZOO, *FINAL) if crowd.name == name)


def kinds() -> list[str]:
    """In the order of the list."""
    return list(dict.fromkeys(crowd.kind for crowd in ZOO))
