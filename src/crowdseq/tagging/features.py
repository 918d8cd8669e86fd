"""What a token looks like to the model: which templates are seen from which offsets, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from crowdseq.errors import SettingsError
from crowdseq.tagging.templates import SINGLE_PIECE_TEMPLATES, TEMPLATES

# A sentence in, for each of its tokens the strings that describe it out.
FeatureFunction: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[str]]]

WORDS, PAIRS, DOCUMENT, CUSTOM, COLUMN = "words", "pairs:", "document", "custom", "column:"
EDGE = "edge"  # the piece of a position before the first or after the last token
_FARTHEST = 5


@dataclass(frozen=True)
class FeatureSettings:
    """How tokens are described.

    windows: template name to the offsets from which it is seen (0 the token itself, -1 the token before).
    pairs: the same for neighbouring words taken together; 0 is (previous, this), 1 is (this, next).
    edges: offsets at which the bounds of the sentence are noticed.
    columns: names of token columns to use, such as part of speech; column_offsets: from where they are seen.
    document: add what the same word looks like elsewhere in its document.
    min_count: a piece that fewer tokens show is left out; pair_min_count: the same for word pairs.
    function: your own; gets the tokens of a sentence, gives strings for each token.
    """

    windows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    pairs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    edges: tuple[int, ...] = (-1, 1)
    columns: tuple[str, ...] = ()
    column_offsets: tuple[int, ...] = (-1, 0, 1)
    document: bool = False
    min_count: int = 1
    pair_min_count: int = 1
    function: FeatureFunction | None = None

    def __post_init__(self) -> None:
        for used, known in ((self.windows, tuple(TEMPLATES)), (self.pairs, SINGLE_PIECE_TEMPLATES)):
            unknown = [name for name in used if name not in known]
            if unknown:
                raise SettingsError(
                    f"feature template '{unknown[0]}' is unknown here, choose from {', '.join(known)}"
                )
        windows = (*self.windows.values(), *self.pairs.values())
        for offsets in (*windows, self.edges, self.column_offsets):
            if any(abs(offset) > _FARTHEST for offset in offsets) or len(set(offsets)) != len(offsets):
                raise SettingsError(f"feature offsets {offsets} must be different and within ±{_FARTHEST}")
        if min(self.min_count, self.pair_min_count) < 1:
            raise SettingsError("a minimum count of features must be at least 1")

    @property
    def word_offsets(self) -> tuple[int, ...]:
        """All offsets from which words are seen, in order."""
        return tuple(sorted({0, *self.edges, *(o for offsets in self.windows.values() for o in offsets)}))

    @property
    def stream_offsets(self) -> dict[str, tuple[int, ...]]:
        """The streams that these settings read, each with the offsets from which it is seen."""
        streams = {WORDS: self.word_offsets}
        streams |= {PAIRS + name: offsets for name, offsets in self.pairs.items()}
        streams |= {COLUMN + name: self.column_offsets for name in self.columns}
        if self.document:
            streams[DOCUMENT] = (0,)
        if self.function is not None:
            streams[CUSTOM] = (0,)
        return streams


_NEAR: tuple[int, ...] = (-1, 0, 1)
_FAR: tuple[int, ...] = (-3, -2, -1, 0, 1, 2, 3)
_PAIRS_AROUND: tuple[int, ...] = (-1, 0, 1, 2)  # the two pairs that hold the token, and one on either side

# What each group brings, and how the sets were chosen, stands in docs/features.md.
FEATURE_SETS: dict[str, FeatureSettings] = {
    "basic": FeatureSettings(
        windows={
            "word": _NEAR,
            "lower": (0,),
            "short": _NEAR,
            "prefix": (0,),
            "suffix": (0,),
            "flag": (0,),
        },
    ),
    "rich": FeatureSettings(
        windows={
            "word": (0,),
            "lower": _FAR,
            "digits": (0,),
            "shape": _NEAR,
            "short": _NEAR,
            "prefix": (0,),
            "suffix": _NEAR,
            "trigram": (0,),
            "flag": _NEAR,
        },
        pairs={"lower": (0, 1), "short": (0, 1)},
        document=True,
    ),
    "full": FeatureSettings(
        windows={
            "word": _NEAR,
            "lower": _FAR,
            "digits": (0,),
            "shape": _NEAR,
            "short": _NEAR,
            "prefix": (0,),
            "suffix": _NEAR,
            "prefix5": (0,),
            "suffix5": (0,),
            "trigram": (0,),
            "fourgram": (0,),
            "flag": _NEAR,
        },
        pairs={"lower": _PAIRS_AROUND, "short": _PAIRS_AROUND, "word": (0, 1)},
        document=True,
    ),
}


def feature_settings(features: "str | FeatureSettings", min_count: int | None = None) -> FeatureSettings:
    """A feature set by name, or as given; min_count overrides its own."""
    if isinstance(features, str):
        if features not in FEATURE_SETS:
            raise SettingsError(f"feature set '{features}' is unknown, choose from {', '.join(FEATURE_SETS)}")
        features = FEATURE_SETS[features]
    return features if min_count is None else replace(features, min_count=min_count)
