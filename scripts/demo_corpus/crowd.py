"""The made-up crowd: who sees which document, and what all of them write into it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from demo_corpus.characters import CROWD_SIZES, Character
from demo_corpus.dice import Dice
from demo_corpus.markup import Document
from demo_corpus.reader import NameTypes, Reader, Tags


def types_of_names(documents: Iterable[Document]) -> NameTypes:
    """Every name with all the types it has anywhere: more than one makes it ambiguous."""
    types: NameTypes = defaultdict(set)
    for document in documents:
        for sentence in document.sentences:
            for mention in sentence.mentions:
                types[sentence.name(mention)].add(mention.type)
    return types


def assigned(document: Document, characters: Sequence[Character], seed: int) -> list[Character]:
    """The annotators of a document, in the order of the cast; they see all of its sentences."""
    dice = Dice(seed, "assignment", document.id)
    size = dice.weighted(CROWD_SIZES)
    waiting = {character.name: character.activity for character in characters}
    chosen: set[str] = set()
    while len(chosen) < size:
        name = dice.weighted(waiting)
        chosen.add(name)
        del waiting[name]
    return [character for character in characters if character.name in chosen]


def label_document(
    document: Document,
    characters: Sequence[Character],
    other_types: NameTypes,
    seed: int,
) -> list[dict[str, Tags]]:
    """Per sentence, annotator -> tags. Each annotator has dice of their own for each document, so
    a new document changes nothing in the others (but for the names that it makes ambiguous)."""
    readers = [
        Reader(character, Dice(seed, character.name, document.id), other_types)
        for character in assigned(document, characters, seed)
    ]
    return [
        {reader.character.name: reader.label(sentence) for reader in readers}
        for sentence in document.sentences
    ]
