"""Who the annotators of the demo corpus are: eight characters as numbers."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Character:
    """How one annotator works; every number is a probability unless it says otherwise.

    manner: `reads` the text, leaves all `outside`, or labels at `random`.
    activity: how readily they take a document, relative to the others (a weight).
    misses: overlooks a mention.  mistypes: gives a wrong type to a mention that they do mark.
    swaps: type -> the type they mix it up with, and how often.
    shifts: marks a mention with a word too many or too few.
    invents: per sentence, marks something that names nothing.
    loyalty: treats a name that came up before in the document as they did then.
    slips: gets a repeated name wrong even though they knew it the first time.
    unopened: begins a mention with I- although nothing stands before it.
    leaves_blank: per sentence, leaves one to three tokens without any label.
    scatter: per token, how often a random labeller picks any tag at all instead of O.
    """

    name: str
    sketch: str
    manner: str = "reads"
    activity: float = 1.0
    misses: float = 0.0
    mistypes: float = 0.0
    swaps: dict[str, tuple[str, float]] = field(default_factory=dict)
    shifts: float = 0.0
    invents: float = 0.0
    loyalty: float = 0.9
    slips: float = 0.0
    unopened: float = 0.0
    leaves_blank: float = 0.0
    scatter: float = 0.0


CHARACTERS = (
    Character(
        name="ana",
        sketch="expert",
        activity=0.6,
        misses=0.018,
        mistypes=0.018,
        shifts=0.015,
        invents=0.01,
        loyalty=0.98,
    ),
    Character(
        name="ben",
        sketch="careful",
        activity=0.8,
        misses=0.06,
        mistypes=0.045,
        shifts=0.045,
        invents=0.03,
        loyalty=0.95,
        leaves_blank=0.01,
    ),
    Character(
        name="cleo",
        sketch="misses much",
        misses=0.5,
        mistypes=0.03,
        shifts=0.03,
        invents=0.01,
        loyalty=0.6,
        leaves_blank=0.02,
    ),
    Character(
        name="dan",
        sketch="sloppy boundaries",
        misses=0.08,
        mistypes=0.05,
        shifts=0.4,
        invents=0.06,
        unopened=0.12,
        leaves_blank=0.01,
    ),
    Character(
        name="eva",
        sketch="confuses ORG and LOC",
        misses=0.08,
        mistypes=0.04,
        swaps={"ORG": ("LOC", 0.5), "LOC": ("ORG", 0.35)},
        shifts=0.04,
        invents=0.04,
        unopened=0.02,
    ),
    Character(
        name="finn",
        sketch="inconsistent on repeated mentions",
        misses=0.08,
        mistypes=0.05,
        shifts=0.06,
        invents=0.04,
        loyalty=0.1,
        slips=0.65,
        unopened=0.04,
        leaves_blank=0.01,
    ),
    Character(name="gus", sketch="leaves O everywhere", manner="outside", activity=0.55),
    Character(
        name="hal",
        sketch="labels at random",
        manner="random",
        activity=0.45,
        scatter=0.3,
        leaves_blank=0.03,
    ),
)

# How many annotators a document gets, and how often.
CROWD_SIZES = {3: 0.3, 4: 0.3, 5: 0.25, 6: 0.15}

# People stumble together, over the same names: one that is a town here and a club there, and those that
# are neither person, organisation nor place. The chance to miss or mistype is multiplied by this much.
AMBIGUOUS_IS_HARDER = 2.5
MISC_IS_HARDER = 1.6
