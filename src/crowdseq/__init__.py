"""Sequence labels from many fallible annotators: consensus, annotator skill, and a trained tagger."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crowdseq.core.consensus import AnnotatorReport, Consensus
    from crowdseq.core.corpus import Corpus
    from crowdseq.core.labels import LabelScheme
    from crowdseq.core.spans import Span
    from crowdseq.core.text import LabelledSentence, Sentence
    from crowdseq.errors import CrowdseqError, MissingFileError
    from crowdseq.evaluation.agreement import measure_agreement
    from crowdseq.formats import write
    from crowdseq.methods import list_methods
    from crowdseq.simulation import simulate
    from crowdseq.tagging.tagger import Tagger
    from crowdseq.workflows.demonstrating import demo_corpus
    from crowdseq.workflows.evaluating import evaluate
    from crowdseq.workflows.learning import learn
    from crowdseq.workflows.reading import read
    from crowdseq.workflows.run import Run
    from crowdseq.workflows.run_folder import load_run as load

# Name to the module that defines it and its name there; loaded when first asked for, so that the command
# line answers --help at once.
_WHERE = {
    "AnnotatorReport": ("crowdseq.core.consensus", "AnnotatorReport"),
    "Consensus": ("crowdseq.core.consensus", "Consensus"),
    "Corpus": ("crowdseq.core.corpus", "Corpus"),
    "CrowdseqError": ("crowdseq.errors", "CrowdseqError"),
    "LabelledSentence": ("crowdseq.core.text", "LabelledSentence"),
    "LabelScheme": ("crowdseq.core.labels", "LabelScheme"),
    "MissingFileError": ("crowdseq.errors", "MissingFileError"),
    "Run": ("crowdseq.workflows.run", "Run"),
    "Sentence": ("crowdseq.core.text", "Sentence"),
    "Span": ("crowdseq.core.spans", "Span"),
    "Tagger": ("crowdseq.tagging.tagger", "Tagger"),
    "demo_corpus": ("crowdseq.workflows.demonstrating", "demo_corpus"),
    "evaluate": ("crowdseq.workflows.evaluating", "evaluate"),
    "learn": ("crowdseq.workflows.learning", "learn"),
    "list_methods": ("crowdseq.methods", "list_methods"),
    "load": ("crowdseq.workflows.run_folder", "load_run"),
    "measure_agreement": ("crowdseq.evaluation.agreement", "measure_agreement"),
    "read": ("crowdseq.workflows.reading", "read"),
    "simulate": ("crowdseq.simulation", "simulate"),
    "write": ("crowdseq.formats", "write"),
}

__all__ = [
    "AnnotatorReport",
    "Consensus",
    "Corpus",
    "CrowdseqError",
    "LabelScheme",
    "LabelledSentence",
    "MissingFileError",
    "Run",
    "Sentence",
    "Span",
    "Tagger",
    "demo_corpus",
    "evaluate",
    "learn",
    "list_methods",
    "load",
    "measure_agreement",
    "read",
    "simulate",
    "write",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("crowdseq")
    if name not in _WHERE:
        raise AttributeError(f"module 'crowdseq' has no attribute '{name}'")
    module, its_name = _WHERE[name]
    return getattr(import_module(module), its_name)


def __dir__() -> list[str]:
    """The public names; what this module itself needs is not shown."""
    return sorted([*(name for name in globals() if name.startswith("__")), *__all__, "__version__"])
