"""Gold: the tagger trained on known tags, and what it says where none are known."""

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.methods.crf_ma import CrfMa
from crowdseq.methods.gold import Gold
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.tagger import Tagger


def test_penalties_are_those_of_the_trainer() -> None:
    assert Gold().c2 == CrfMa().c2 == CrfTrainer().c2


def test_known_tags_come_back_and_unknown_ones_are_guessed() -> None:
    world = corpus(*["so/O Ada/B-P ran/O", "it/O ran/O"] * 5, "so/? Ada/? ran/?")
    found = Gold(c2=0.01).learn(world)
    assert found.tagger is not None
    assert found.consensus.tags[:10] == tuple(tuple(tags or ()) for tags in world.gold[:10])
    assert found.consensus.tags[10] == ("O", "B-P", "O")


def test_labels_inside_the_tagger_are_those_asked_for() -> None:
    world = corpus(*["so/O Ada/B-P ran/O", "it/O ran/O"] * 5)
    for chunks in ("BIOES", "borders"):
        tagger = Gold(chunks=chunks).learn(world).tagger
        assert isinstance(tagger, Tagger)
        assert tagger.chain.kind == chunks


def test_guesses_see_the_document() -> None:
    """Qig is a name at the start of a sentence only because the document has it inside another one."""
    builder = CorpusBuilder()
    for n in range(40):
        builder.add(Record(["so", f"Name{n}", "ran"], doc=f"d{n}", gold=["O", "B-P", "O"]))
        builder.add(Record([f"Name{n}", "sat"], doc=f"d{n}", gold=["B-P", "O"]))
        builder.add(Record([f"Verb{n}", "sat"], doc=f"d{n}", gold=["O", "O"]))
    builder.add(Record(["so", "Qig", "ran"], doc="last"))
    builder.add(Record(["Qig", "sat"], doc="last"))
    builder.add(Record(["Wub", "sat"], doc="last"))
    found = Gold().learn(builder.build())
    assert found.consensus.tags[-2:] == (("B-P", "O"), ("O", "O"))
