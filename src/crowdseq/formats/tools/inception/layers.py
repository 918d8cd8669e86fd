"""Which layer and feature of a richly annotated document hold the labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.resolve import Region

_USUAL_FEATURE = "value"


@dataclass(frozen=True)
class Annotated:
    """One document as one person left it.

    tokens: their places in code points, None if the file has none. regions: of the chosen layer, in `unit`.
    other_layers: names of layers that were not read. layers: those that could have been chosen, for which
    `layer` stands if it was one of them.
    """

    text: str
    tokens: Sequence[tuple[int, int]] | None
    regions: Sequence[Region]
    unit: str
    other_layers: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    layer: str | None = None


class Choice(NamedTuple):
    """A layer by its full name, and the feature with the labels; None where the layer is the label."""

    layer: str
    feature: str | None

    @property
    def label(self) -> str:
        """What a span of a layer without features is called."""
        return short_name(self.layer)


def short_name(layer: str) -> str:
    """`de.tudarmstadt.….NamedEntity` to `NamedEntity`."""
    return layer.rsplit(".", 1)[-1]


def choose_layer(layers: Mapping[str, Sequence[str]], asked: str | None) -> Choice | None:
    """The only layer, or the one asked for as NAME or NAME:FEATURE; None if the document has none of it."""
    wanted, _, feature = (asked or "").partition(":")
    fitting = [name for name in layers if not wanted or wanted in (name, short_name(name))]
    if len(fitting) > 1:
        shown = ", ".join(short_name(name) if not wanted else name for name in fitting)
        raise AnnotationError(f"there are several layers ({shown}), say --layer with one of them")
    if not fitting:
        return None
    (layer,) = fitting
    features = layers[layer]
    if feature and feature not in features:
        known = ", ".join(features) or "none"
        raise AnnotationError(f"layer {short_name(layer)} has no feature '{feature}', it has {known}")
    if feature or not features:
        return Choice(layer, feature or None)
    return Choice(layer, _USUAL_FEATURE if _USUAL_FEATURE in features else features[0])
