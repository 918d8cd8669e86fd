"""How the vocabulary of made corpora grows, beside that of a real text:
python -m crowdseq_research.bench.grown_corpus.curve FOLDER --real TEXT -o results/vocabulary.md."""

import json
from pathlib import Path

import click
import numpy as np

import crowdseq
from crowdseq.storage.atomic import AtomicFile
from crowdseq_research.bench.grown_corpus.__main__ import RECIPE, Curve

Points = list[tuple[int, int]]
_FIGURE = "vocabulary.svg"


def curve_of(text: Path) -> Points:
    """Of any file with tokens."""
    curve = Curve()
    for tokens in crowdseq.read(text).text.tokens:
        curve.add(list(tokens))
    return curve.closed()


def curve_page(made: Points, recipe: dict[str, object], real: Points, name: str) -> str:
    """The curves as a table, with the exponent of growth between two rows of a made corpus."""
    known = dict(real)
    if made[-1][0] < 1.01 * made[-2][0]:  # the end, which says no more
        made = made[:-1]
    rows = []
    for before, (tokens, words) in zip([None, *made], made, strict=False):
        slope = ""
        if before is not None and before[0] < tokens:
            slope = f"{np.log(words / before[1]) / np.log(tokens / before[0]):.2f}"
        rows.append(f"| {tokens:,} | {words:,} | {slope} | {_shown(known.get(tokens))} |")
    return "\n".join(
        [
            "# How the vocabulary of made corpora grows",
            "",
            "Corpora for measurements of growth are made, not copied:",
            f"`python -m crowdseq_research.bench.grown_corpus --tokens {recipe['wanted']} "
            f"--annotators {recipe['people']} --seed {recipe['seed']} -o FOLDER`.",
            "Words are drawn from an endless vocabulary whose common words follow one power law and whose",
            "rest follows a steeper one, as in large collections of text, so that new words never cease to",
            "come. Its settings were chosen so that the first 200,000 tokens have about as many different",
            f"words as {name} has; what follows is the law's.",
            "",
            f"![Vocabulary by tokens, both logarithmic]({_FIGURE})",
            "",
            f"| tokens | different words, made | exponent since the row above | different words, {name} |",
            "|---|---|---|---|",
            *rows,
            "",
            "Repeat: `python -m crowdseq_research.bench.grown_corpus.curve FOLDER --real TEXT -o PAGE`.",
            "",
        ]
    )


def _shown(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def draw(made: Points, real: Points, name: str, path: Path) -> None:
    """Both curves in logarithmic axes."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "crowdseq"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for points, label, style in ((made, "made", "-"), (real, name, "o")):
        axes.loglog(*zip(*points, strict=True), style, label=label)
    axes.set_xlabel("tokens")
    axes.set_ylabel("different words")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


@click.command(help="Show how the vocabulary of a made corpus grows, beside that of a real text.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--real", type=click.Path(path_type=Path, exists=True), required=True, help="Any file of tokens."
)
@click.option("--name", default="CoNLL-2003 train", show_default=True, help="What the real text is called.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, metavar="PAGE")
def main(folder: Path, real: Path, name: str, out: Path) -> None:
    corpus = json.loads((folder / RECIPE).read_bytes())
    made: Points = [(tokens, words) for tokens, words in corpus["vocabulary"]]
    text = curve_of(real)
    draw(made, text, name, out.with_name(_FIGURE))
    with AtomicFile(out, force=True) as file:
        file.write(curve_page(made, corpus["recipe"], text, name).encode())
    click.echo(f"{out} and {out.with_name(_FIGURE)}")


if __name__ == "__main__":
    main()
