"""Whether a version of crowdseq gives the same results as an earlier one, to the bit.

    python scripts/check_equality.py --write results/equality.json     with the old version installed
    python scripts/check_equality.py --against results/equality.json   with the new one

Hashed: consensus tags, posteriors and tagger weights of every method on the demo corpus, and of sa-slc and
dawid-skene on the Mechanical Turk crowd; what `tag` writes for CoNLL-2003 dev; every sample file converted to
every format that can be written. Only the command line is used, so that any version can be asked. A
conversion that is refused counts by its exit code: messages may be reworded. Exit code 1 on a difference.
"""

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

SHARED = Path(os.environ.get("CROWDSEQ_SHARED") or Path(__file__).resolve().parents[2] / "shared")
METHODS = (
    "bsc", "crf-ma", "dawid-skene", "gold", "hmm-crowd", "ibcc", "mace", "majority-vote", "sa-slc", "sembler",
)  # fmt: skip
FORMATS = (
    "jsonl", "consensus", "conll", "conll-folder", "long", "brat", "parquet", "long-parquet", "datasets",
    "docbin", "label-studio", "doccano", "doccano-zip", "argilla", "prodigy",
)  # fmt: skip
PARTS = ("demo", "amt", "samples")


def run_command(*words: str) -> int:
    """`crowdseq WORDS` in this process, silently; its exit code, 99 for a traceback."""
    from crowdseq.cli.main import main

    before, sys.argv = sys.argv, ["crowdseq", *words]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            main()
        return 0
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        print(f"traceback: {' '.join(words)}: {error!r}", file=sys.stderr)
        return 99
    finally:
        sys.argv = before


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


def content_of(path: Path) -> bytes:
    """The bytes of a file, unpacked where it is packed: packing may carry the time."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(name.encode() + archive.read(name) for name in sorted(archive.namelist()))
    return content


def digest_of_output(out: Path) -> str:
    """A file or folder as one digest; where layers got names, all of them."""
    made = sorted(path for path in out.parent.rglob("*") if path.is_file())
    return digest(
        b"".join(str(path.relative_to(out.parent)).encode() + b"\0" + content_of(path) for path in made)
    )


def digest_of_run(folder: Path) -> dict[str, str]:
    """Labels, probabilities and weights of a run folder."""
    from safetensors.numpy import load_file

    found = {}
    with (folder / "consensus.jsonl").open(encoding="utf-8") as lines:
        labels = [json.loads(line) for line in lines]
    found["labels"] = digest(json.dumps([[one["id"], one["labels"]] for one in labels]).encode())
    found["posteriors"] = digest(
        load_file(folder / "posteriors.safetensors")["probabilities"].astype("<f8").tobytes()
    )
    weights = load_file(folder / "tagger" / "weights.safetensors")
    found["weights"] = digest(b"".join(name.encode() + weights[name].tobytes() for name in sorted(weights)))
    found["annotators"] = digest((folder / "annotators.csv").read_bytes())
    return found


def learn(crowd: Path, method: str, out: Path) -> dict[str, str]:
    preset = ("--set", "preset=0.1") if method == "sa-slc" else ()
    code = run_command("learn", str(crowd), "-m", method, "-o", str(out), "--quiet", *preset)
    return digest_of_run(out) if code == 0 else {"exit": str(code)}


def demo_results(work: Path, _: argparse.Namespace) -> Iterator[tuple[str, object]]:
    import crowdseq

    crowd = work / "demo.jsonl"
    crowdseq.write(crowdseq.demo_corpus(), str(crowd))
    for method in METHODS:
        yield f"demo/{method}", learn(crowd, method, work / f"demo-{method}")
    for form in FORMATS:
        out = work / "consensus" / form.replace("/", "-") / "out"
        out.parent.mkdir(parents=True)
        code = run_command(
            "convert", str(work / "demo-sa-slc"), "--consensus", "-o", str(out), "--to", form, "--quiet"
        )
        yield f"demo-consensus/{form}", digest_of_output(out) if code == 0 else code


def amt_results(work: Path, given: argparse.Namespace) -> Iterator[tuple[str, object]]:
    crowd = given.shared / "data" / "amt_conll2003" / "crowd.jsonl.gz"
    for method in ("dawid-skene", "sa-slc"):
        yield f"amt/{method}", learn(crowd, method, work / f"amt-{method}")
    dev = given.shared / "data" / "conll2003" / "dev.conll.gz"
    for name, options in (("plain", ()), ("confidence", ("--confidence",))):
        out = work / f"tagged-{name}.conll"
        code = run_command("tag", str(work / "amt-sa-slc"), str(dev), "-o", str(out), "--quiet", *options)
        yield f"tag-conll-dev/{name}", digest(out.read_bytes()) if code == 0 else code


def sample_results(work: Path, given: argparse.Namespace) -> Iterator[tuple[str, object]]:
    samples = given.shared / "samples"
    inputs = sorted(path for path in samples.rglob("*") if path.is_file() or any(path.iterdir()))
    for number, path in enumerate(inputs):
        if path.name == "README.md":
            continue
        for form in FORMATS:
            out = work / "samples" / str(number) / form.replace("/", "-") / "out"
            out.parent.mkdir(parents=True)
            code = run_command("convert", str(path), "-o", str(out), "--to", form, "--quiet")
            name = f"sample/{path.relative_to(samples)}/{form}"
            yield name, digest_of_output(out) if code == 0 else code


GROUPS: dict[str, Callable[[Path, argparse.Namespace], Iterator[tuple[str, object]]]] = {
    "demo": demo_results,
    "amt": amt_results,
    "samples": sample_results,
}


def compare(found: dict[str, object], stored: dict[str, object], groups: list[str]) -> list[str]:
    prefixes = {"demo": ("demo/", "demo-consensus/"), "amt": ("amt/", "tag-"), "samples": ("sample/",)}
    wanted = tuple(prefix for group in groups for prefix in prefixes[group])
    names = sorted({*found, *(name for name in stored if name.startswith(wanted))})
    return [
        f"{name}: was {stored.get(name)}, is {found.get(name)}"
        for name in names
        if stored.get(name) != found.get(name)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", type=Path, help="keep the hashes in this file")
    parser.add_argument("--against", type=Path, help="compare with the hashes in this file")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be repeated")
    parser.add_argument(
        "--shared",
        type=Path,
        default=SHARED,
        help="folder with data/ and samples/ (default: $CROWDSEQ_SHARED, else shared/ beside the clone)",
    )
    given = parser.parse_args()
    groups = list(given.only or PARTS)
    if not given.shared.is_dir() and given.only is None:
        print(f"{given.shared} is not there: only the demo corpus is compared")
        groups = ["demo"]
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as work:
        os.environ["CROWDSEQ_DATA"] = str(given.shared / "data")
        for group in groups:
            found.update(GROUPS[group](Path(work), given))
    if given.write:
        given.write.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if given.against:
        stored = json.loads(given.against.read_text(encoding="utf-8"))
        differences = compare(found, stored, groups)
        print("\n".join([*differences, f"{len(found)} results, {len(differences)} differ"]))
        sys.exit(bool(differences))


if __name__ == "__main__":
    main()
