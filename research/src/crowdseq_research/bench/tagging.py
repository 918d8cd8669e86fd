"""A trained tagger beside the rival's: tagging raw tokens, memory of training, start of the command line."""

from pathlib import Path

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.formats.models.taggers import save_tagger
from crowdseq.tagging.tagger import Tagger
from crowdseq_research.bench.rivals import RivalTagger
from crowdseq_research.bench.rows import Row
from crowdseq_research.bench.timing import interleave, peak_memory_of, wall_time_of


def tagging_rows(ours: Tagger, rival: RivalTagger, test: Corpus, repeats: int) -> list[Row]:
    """From raw tokens, features included: with words never seen before, and once they are known."""
    sentences = [list(tokens) for tokens in test.text.tokens]
    warm = _fresh(ours)
    warm.tag_many(sentences)
    theirs, cold_time, warm_time = interleave(
        [
            lambda: rival.tag_many(sentences),
            lambda: _fresh(ours).tag_many(sentences),
            lambda: warm.tag_many(sentences),
        ],
        repeats,
    )
    n_tokens = sum(map(len, sentences))
    rival_speed = n_tokens / theirs.cpu
    rows = []
    for what, timing in (
        ("tagging raw tokens, all words new", cold_time),
        ("the same, words met before", warm_time),
    ):
        speed = n_tokens / timing.cpu
        rows.append(Row(what, "tokens / CPU s", speed, rival_speed, speed / rival_speed, 8.0, 20.0))
    return rows


def memory_rows(train_file: Path) -> list[Row]:
    """Peak memory of a whole training process on each side."""
    probe = "crowdseq_research.bench.memory"
    ours, rival, lean = (
        peak_memory_of([probe, who, str(train_file)]) for who in ("crowdseq", "crfsuite", "crfsuite-lean")
    )
    return [
        Row("peak memory of training", "MB", ours, rival, rival / ours, 1.0, 1 / 0.6),
        Row("the same, rival fed one sentence at a time", "MB", ours, lean, lean / ours),
    ]


def start_row(tagger: Tagger, folder: Path) -> Row:
    """Tagging one sentence from the command line, machine code cached."""
    saved = folder / "tagger"
    save_tagger(tagger, saved)
    arguments = ["crowdseq", "tag", str(saved), "-"]
    times = [wall_time_of(arguments, "EU rejects German call\n") for _ in range(4)]
    best = min(times[1:])
    return Row("second start: tag one sentence", "wall s", best, 2.0, 2.0 / best, 1.0, 2.0)


def _fresh(tagger: Tagger) -> Tagger:
    """The same tagger without what it has cached."""
    return Tagger(tagger.scheme, tagger.features, tagger.streams, np.array(tagger.transitions))
