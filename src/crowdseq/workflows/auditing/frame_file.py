"""The frame of an audit on disk: which sentences, in which order, of which labels; written once."""

from pathlib import Path

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.errors import Advice, OutputExistsError
from crowdseq.evaluation.auditing.counting import ErrorCounts, count_errors, foretell_errors
from crowdseq.evaluation.auditing.frame import Frame
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.tensors import encode_tensors, read_tensors
from crowdseq.workflows.runs import AUDIT_FRAME, labels_digest

_ADVICE = Advice("restore it, or remove it: the audit then begins anew")


class AuditFrame:
    """A frame, and the numbers (n,) that its sentences have in the corpus. is_new: begun just now.

    replaces: there was one of other labels, or of other sentences, whose bound says nothing of these.
    """

    def __init__(self, frame: Frame, sentences: IntArray, *, is_new: bool, replaces: bool) -> None:
        self.frame, self.sentences, self.is_new, self.replaces = frame, sentences, is_new, replaces

    @property
    def drawn(self) -> IntArray:
        """(n,) the numbers of the sentences in the order in which they are read."""
        return self.sentences[self.frame.order]


def open_frame(folder: Path, consensus: Consensus, decided: IntArray, seed: int) -> AuditFrame:
    """The frame of a run's labels; one is drawn, of all sentences but the decided, if there is none yet."""
    path, digest = folder / AUDIT_FRAME, labels_digest(folder)
    found = _read(path, consensus, digest) if path.exists() else None
    if found is not None:
        return found
    replaces = path.exists()
    sentences = np.setdiff1d(np.arange(len(consensus.corpus)), decided)
    frame = _draw(consensus, sentences, seed)
    content = encode_tensors(
        {"sentences": sentences, "order": frame.order, "weights": frame.weights},
        {"labels": digest, "seed": str(seed)},
    )
    try:
        with AtomicFile(path, force=replaces) as file:
            file.write(content)
    except OutputExistsError:  # another process was quicker, and its frame is the one
        return open_frame(folder, consensus, decided, seed)
    return AuditFrame(frame, sentences, is_new=True, replaces=replaces)


def _read(path: Path, consensus: Consensus, digest: str) -> AuditFrame | None:
    file = read_tensors(path, _ADVICE)
    if file.texts.get("labels") != digest:
        return None
    sentences: IntArray = file.take("sentences", "i8", (None,))
    size = len(sentences)
    order: IntArray = file.take("order", "i8", (size,))
    weights = file.take("weights", "f8", (size,))
    within = not size or (sentences.min() >= 0 and sentences.max() < len(consensus.corpus))
    if not within or (np.sort(order) != np.arange(size)).any() or not (weights > 0.0).all():
        raise file.fault("is no frame of this run")
    made = _known(consensus, sentences)
    foretold = foretell_errors(*made, consensus.corpus.scheme)
    given = _given(made[1], made[2], consensus).given
    is_plain = consensus.corpus.scheme.is_plain
    frame = Frame(given, np.diff(made[2]), is_plain, foretold, weights, order)
    return AuditFrame(frame, sentences, is_new=False, replaces=False)


def _draw(consensus: Consensus, sentences: IntArray, seed: int) -> Frame:
    probabilities, tags, offsets = _known(consensus, sentences)
    scheme = consensus.corpus.scheme
    foretold = foretell_errors(probabilities, tags, offsets, scheme)
    given = _given(tags, offsets, consensus).given
    return Frame.draw(given, np.diff(offsets), is_plain=scheme.is_plain, foretold=foretold, seed=seed)


def _known(consensus: Consensus, sentences: IntArray) -> tuple[np.ndarray, IntArray, IntArray]:
    """Probabilities, tags and offsets of these sentences alone."""
    from crowdseq.core.ragged import gather_ranges, offsets_of

    corpus = consensus.corpus
    lengths = corpus.text.lengths[sentences]
    tokens = gather_ranges(corpus.offsets[sentences], lengths)
    return consensus.probabilities[tokens], consensus.tag_ids[tokens], offsets_of(lengths)


def _given(tags: IntArray, offsets: IntArray, consensus: Consensus) -> ErrorCounts:
    return count_errors(tags, tags, offsets, consensus.corpus.scheme)
