"""Colours by number of the type. They repeat, and not everybody sees them: the label always stands beside."""

N_COLOURS = 8


def colour_of(kind: int) -> str:
    """The class that the style sheet gives a hue."""
    return f"k{kind % N_COLOURS}"
