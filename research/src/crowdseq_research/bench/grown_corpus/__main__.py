"""Write a corpus of any size to parts: python -m crowdseq_research.bench.grown_corpus --help."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import msgspec

from crowdseq.storage.atomic import AtomicFile
from crowdseq_research.bench.grown_corpus.people import People
from crowdseq_research.bench.grown_corpus.text import TYPES, Document, GrownText, Name

RECIPE = "corpus.json"
_BEGIN, _INSIDE = [f"B-{name}" for name in TYPES], [f"I-{name}" for name in TYPES]


def records(text: GrownText, people: People, tokens: int) -> Iterator[list[dict[str, Any]]]:
    """The sentences of one document after the other, until there are so many tokens."""
    number = done = 0
    while done < tokens:
        document = text.document(number)
        yield list(_sentences(document, people.marks(document)))
        done += len(document.tokens)
        number += 1


def _sentences(document: Document, marks: dict[str, list[Name]]) -> Iterator[dict[str, Any]]:
    gold = _tags(document.names, len(document.tokens))
    given = {name: _tags(names, len(document.tokens)) for name, names in marks.items()}
    name = f"d{document.number:07}"
    for place, (start, end) in enumerate(pairwise(document.bounds)):
        yield {
            "id": f"{name}-{place:03}",
            "doc": name,
            "tokens": document.tokens[start:end],
            "gold": gold[start:end],
            "annotations": {who: tags[start:end] for who, tags in given.items()},
        }


def _tags(names: list[Name], size: int) -> list[str]:
    tags = ["O"] * size
    for start, end, kind in names:
        tags[start] = _BEGIN[kind]
        tags[start + 1 : end] = [_INSIDE[kind]] * (end - start - 1)
    return tags


class Curve:
    """How many different words there are among the first 1,000, 2,000, 5,000, … tokens."""

    def __init__(self) -> None:
        self.points: list[tuple[int, int]] = []
        self.tokens, self._words, self._next = 0, set[str](), 1_000

    def add(self, tokens: list[str]) -> None:
        for token in tokens:
            self._words.add(token)
            self.tokens += 1
            if self.tokens == self._next:
                self.points.append((self.tokens, len(self._words)))
                self._next = self._next * 5 // 2 if str(self._next)[0] == "2" else self._next * 2

    def closed(self) -> list[tuple[int, int]]:
        """With the point at the end."""
        return [*self.points, (self.tokens, len(self._words))]


def write_corpus(out: Path, text: GrownText, people: People, tokens: int, parts: int) -> dict[str, Any]:
    """Parts `part-00000.jsonl.gz`, … of whole documents, and what was written."""
    out.mkdir(parents=True, exist_ok=True)
    made = records(text, people, tokens)
    curve, n_sentences, n_documents = Curve(), 0, 0
    for part in range(parts):
        with AtomicFile(out / f"part-{part:05}.jsonl.gz", force=True) as file:
            while curve.tokens < tokens * (part + 1) // parts:
                document = next(made)
                for sentence in document:
                    curve.add(sentence["tokens"])
                    file.write(msgspec.json.encode(sentence) + b"\n")
                n_sentences, n_documents = n_sentences + len(document), n_documents + 1
        click.echo(f"part {part + 1} of {parts}: {curve.tokens:,} tokens", err=True)
    return {
        "tokens": curve.tokens,
        "sentences": n_sentences,
        "documents": n_documents,
        "vocabulary": curve.closed(),
        "annotators": {name: asdict(one) for name, one in zip(people.names, people.characters, strict=True)},
    }


@click.command(help="A corpus of any size whose vocabulary grows as that of real text, in parts.")
@click.option("--tokens", type=click.IntRange(1), required=True, help="How many, to the end of a document.")
@click.option("--annotators", type=click.IntRange(2), default=50, show_default=True)
@click.option("--votes", type=click.IntRange(1), default=5, show_default=True, help="Annotators a document.")
@click.option("--parts", type=click.IntRange(1), default=8, show_default=True, help="Into how many files.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER")
def main(tokens: int, annotators: int, votes: int, parts: int, seed: int, out: Path) -> None:
    recipe = {
        "wanted": tokens,
        "people": annotators,
        "votes": min(votes, annotators),
        "parts": parts,
        "seed": seed,
    }
    if (out / RECIPE).exists() and json.loads((out / RECIPE).read_bytes())["recipe"] == recipe:
        click.echo(f"{out} holds it already", err=True)
        return
    people = People(annotators, min(votes, annotators), seed)
    made = write_corpus(out, GrownText(seed), people, tokens, parts)
    with AtomicFile(out / RECIPE, force=True) as file:
        file.write(json.dumps({"recipe": recipe, **made}, indent=1).encode() + b"\n")
    click.echo(f"{made['tokens']:,} tokens, {made['vocabulary'][-1][1]:,} different words: {out}")


if __name__ == "__main__":
    main()
