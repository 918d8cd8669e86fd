"""How the network beside the CRF, and the transformer in a tagger, are trained."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray

Rows: TypeAlias = NDArray[Any]  # numbers of single or half precision, as torch works with them


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """weight: how much the network counts beside the CRF. components: of the states that it sees. epochs,
    rates: of each training, the first from nothing and the others from there. batch: about so many tokens.
    The rest are sizes and shares of what is dropped."""

    weight: float = 0.5
    components: int = 256
    hidden: int = 192
    recurrent: int = 128
    epochs: tuple[int, ...] = (6, 3)
    rates: tuple[float, ...] = (2e-3, 7e-4)
    batch: int = 700
    input_dropout: float = 0.2
    output_dropout: float = 0.4
    word_dropout: float = 0.05
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class TransformerSettings:
    """weight: how much the transformer counts beside the CRF. epochs: over the corpus. batch: about so many
    pieces. rate, head_rate: of learning, which rise over the first `warm_up` share of all steps and fall from
    then on. frozen: share of the layers, from the first on, that stay as they are, with the embeddings."""

    weight: float = 0.5
    epochs: int = 1
    batch: int = 480
    rate: float = 5e-5
    head_rate: float = 1e-3
    warm_up: float = 0.1
    frozen: float = 1 / 3
    dropout: float = 0.1
    seed: int = 0
