"""Make the demo corpus that ships with crowdseq, out of our own texts and a made-up crowd."""

import argparse
import gzip
import io
import json
from pathlib import Path

from demo_corpus.characters import CHARACTERS
from demo_corpus.crowd import label_document, types_of_names
from demo_corpus.figures import Record, annotator_table, content_table
from demo_corpus.markup import Document, read_documents, tags_of

SEED = 0
TOPICS = ("news", "science", "sport")
TEXTS = Path(__file__).parent / "demo_corpus"
SHIPPED = Path(__file__).parent.parent / "src" / "crowdseq" / "data" / "demo.jsonl.gz"


def read_all() -> list[Document]:
    """Every document, topic by topic."""
    return [document for topic in TOPICS for document in read_documents(TEXTS / f"{topic}.txt")]


def make_records(documents: list[Document], seed: int = SEED) -> list[Record]:
    """One crowd JSONL record per sentence, gold included."""
    other_types = types_of_names(documents)
    return [
        {
            "id": f"{document.id}-s{number}",
            "doc": document.id,
            "topic": document.topic,
            "tokens": list(sentence.tokens),
            "gold": tags_of(len(sentence.tokens), sentence.mentions),
            "annotations": annotations,
        }
        for document in documents
        for number, (sentence, annotations) in enumerate(
            zip(document.sentences, label_document(document, CHARACTERS, other_types, seed), strict=True),
            start=1,
        )
    ]


def to_jsonl(records: list[Record]) -> bytes:
    """One compact JSON object a line, UTF-8."""
    lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records]
    return "".join(f"{line}\n" for line in lines).encode()


def compress(content: bytes) -> bytes:
    """Gzip without a name and a time, so that the same content gives the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as packed:
        packed.write(content)
    return buffer.getvalue()


def main() -> None:
    """Write the corpus, or print the tables that the documentation shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=SHIPPED, help="the file to write")
    parser.add_argument("--seed", type=int, default=SEED, help=f"another crowd (the shipped one has {SEED})")
    parser.add_argument("--figures", action="store_true", help="print the tables and write nothing")
    arguments = parser.parse_args()
    records = make_records(read_all(), arguments.seed)
    if arguments.figures:
        print(content_table(records), annotator_table(records), sep="\n\n")
        return
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_bytes(compress(to_jsonl(records)))


if __name__ == "__main__":
    main()
