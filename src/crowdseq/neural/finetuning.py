"""Fine-tuning: a language model learns the tags of a corpus, for a tagger."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from crowdseq.core.text import Text
from crowdseq.neural.encoder import Encoder, answered, batches, seeded
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.pieces import Window
from crowdseq.neural.reader import Head, TransformerReader, flags_of, halved
from crowdseq.neural.settings import Rows, TransformerSettings
from crowdseq.numerics.em import Progress

_STAGE = "fine-tuning the model"
_LAYER = re.compile(r"(?:^|\.)(?:encoder|transformer)\.(?:layers?|h|block)\.(\d+)\.|^(?:layers?|h)\.(\d+)\.")


def fine_tune(
    model: ModelFolder, text: Text, targets: Rows, settings: TransformerSettings, progress: Progress
) -> TransformerReader:
    """Towards (T, M) probabilities of the tags; a row of zeros is a token that is not learned from."""
    with seeded(settings.seed, 7):
        encoder = Encoder.load(model)
        reader = TransformerReader(encoder, Head(encoder.width, targets.shape[1], settings.dropout))
        _freeze(reader.encoder.model, settings.frozen)
        _train(reader, text, targets, settings, progress)
        _round(reader)
    return reader


def _train(
    reader: TransformerReader,
    text: Text,
    targets: Rows,
    settings: TransformerSettings,
    progress: Progress,
) -> None:
    sentences = list(text.tokens)
    windows = reader.encoder.windows(sentences, text.document_of.tolist())
    flags, wanted = flags_of(sentences), torch.from_numpy(np.asarray(targets, np.float32))
    plan = [batch for _ in range(settings.epochs) for batch in _shuffled(windows, settings.batch)]
    optimiser = _optimiser(reader, settings)
    rate = torch.optim.lr_scheduler.LambdaLR(optimiser, _rise_and_fall(len(plan), settings.warm_up))
    reader.encoder.model.train()
    reader.head.train()
    for number, batch in enumerate(plan, start=1):
        aim = wanted[answered(batch)]
        loss = -(aim * reader.told(batch, flags)).sum() / aim.sum().clamp_min(1.0)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.encoder.model.parameters(), 1.0)
        optimiser.step()
        rate.step()
        progress(_STAGE, number, len(plan))
    reader.encoder.model.eval()
    reader.head.eval()


def _shuffled(windows: Sequence[Window], pieces: int) -> Iterator[list[Window]]:
    """Batches of windows of about one length, in an order drawn anew."""
    order = [windows[number] for number in torch.randperm(len(windows)).tolist()]
    alike = list(batches(order, pieces))
    for number in torch.randperm(len(alike)).tolist():
        yield alike[number]


def _optimiser(reader: TransformerReader, settings: TransformerSettings) -> Any:
    learning = [one for one in reader.encoder.model.parameters() if one.requires_grad]
    groups = [
        {"params": learning, "lr": settings.rate, "weight_decay": 0.01},
        {"params": list(reader.head.parameters()), "lr": settings.head_rate, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups)


def _rise_and_fall(steps: int, warm_up: float) -> Callable[[int], float]:
    rising = max(int(steps * warm_up), 1)
    return lambda step: min((step + 1) / rising, max((steps - step) / max(steps - rising, 1), 0.0))


def _freeze(model: Any, share: float) -> None:
    """The embeddings, and the first layers, stay as they are: what they know is general."""
    numbers = {name: _layer(name) for name, _ in model.named_parameters()}
    n_layers = max((number for number in numbers.values() if number is not None), default=-1) + 1
    for name, parameter in model.named_parameters():
        number = numbers[name]
        if share > 0 and ("embeddings" in name or (number is not None and number < share * n_layers)):
            parameter.requires_grad_(False)


def _layer(name: str) -> int | None:
    found = _LAYER.search(name)
    return int(found[1] or found[2]) if found else None


def _round(reader: TransformerReader) -> None:
    """To half precision and back: the tagger that was trained is the one that is saved."""
    with torch.no_grad():
        for parameter in reader.encoder.model.parameters():
            parameter.copy_(halved(parameter).float())
