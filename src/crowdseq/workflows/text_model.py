"""What reads the text of a run beside the CRF: chosen, opened, and what the run records of it."""

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.companions import CompanionMaker
from crowdseq.aggregation.settling import sharpened
from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.errors import Advice, MissingExtraError, SettingsError
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.settings import NetworkSettings, TransformerSettings
from crowdseq.numerics.em import Progress
from crowdseq.tagging.joined_tagger import JoinedTagger
from crowdseq.tagging.tagger import Tagger

CRF, NETWORK, TRANSFORMER = TEXT_MODELS = ("crf", "network", "transformer")


@dataclass(frozen=True)
class TextModel:
    """A language model, whether it is fine-tuned for the tagger too, and from where chance is drawn."""

    kind: str
    model: ModelFolder
    seed: int = 0

    @property
    def is_fine_tuned(self) -> bool:
        return self.kind == TRANSFORMER

    @property
    def fingerprint(self) -> str:
        """What tells another model apart; where it lies does not count."""
        return self.model.digest

    @property
    def record(self) -> dict[str, Any]:
        """The part of `settings.json` that tells of it."""
        versions = {name: version(name) for name in ("torch", "transformers")}
        about = {
            "kind": self.kind,
            "model": str(self.model.path),
            "sha256": self.model.digest,
            "seed": self.seed,
        }
        return {"text_model": about | {"versions": versions}}

    def companion(self, cache: Path | None) -> CompanionMaker:
        """What joins the CRF in the rounds; cache: a folder where states are kept until the run is whole."""
        from crowdseq.neural.companion import MakeCompanion

        return MakeCompanion(self.model, NetworkSettings(seed=self.seed), cache)

    def join(self, crf: Tagger, consensus: Consensus, progress: Progress, *, hard: bool) -> JoinedTagger:
        """A tagger joined by the model, which learns from settled tags (`hard`) or from what is believed."""
        from crowdseq.neural.finetuning import fine_tune

        settings, targets = TransformerSettings(seed=self.seed), _targets(consensus, hard)
        reader = fine_tune(self.model, consensus.corpus.text, targets, settings, progress)
        return JoinedTagger.join(crf, reader, settings.weight)


def open_text_model(kind: str, model: str | PathLike[str] | None, seed: int = 0) -> TextModel | None:
    """What was asked for, checked before time is spent; None for the CRF alone."""
    if kind not in TEXT_MODELS:
        raise SettingsError(f"text_model is '{kind}', choose one of {', '.join(TEXT_MODELS)}")
    if kind == CRF:
        if model is not None:
            advice = Advice("say {text_model} too, or leave it out", text_model=NETWORK)
            raise SettingsError("the CRF alone reads no model:", advice)
        return None
    if model is None:
        advice = Advice("name its folder with {model}", model="")
        raise SettingsError(f"the text model {kind} needs a language model of this machine,", advice)
    found = ModelFolder.of(model)
    if any(find_spec(name) is None for name in ("torch", "transformers")):
        raise MissingExtraError(f"the text model {kind}", "neural")
    return TextModel(kind, found, seed)


def _targets(consensus: Consensus, hard: bool) -> FloatArray:
    """(T, M) settled tags, or what is believed, as it was before it was softened for people."""
    if hard:
        return np.eye(len(consensus.corpus.scheme))[consensus.tag_ids]
    temperature = float(consensus.parameters.get("temperature", 1.0))
    return sharpened(consensus.probabilities, temperature, consensus.tag_ids)
