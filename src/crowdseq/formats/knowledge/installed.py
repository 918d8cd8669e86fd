"""Word vectors that are installed as a package: found by what packages tell of themselves, none imported."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from crowdseq.formats.knowledge.spacy_vectors import vocabulary
from crowdseq.formats.knowledge.vectors import BESIDE

# Entry points whose value is `package:path/in/it`, a file as `--vectors` takes it; ours, then one of others
# whose value is `package:ROOT`, a folder `data` with an array and the table of its words; then spaCy's.
_OWN, _KUMO, _SPACY = "crowdseq.vectors", "kumo.embedding_models", "spacy_models"


@dataclass(frozen=True)
class Installed:
    """The package, its version, and its file in the form that `read_vectors` takes."""

    package: str
    version: str
    place: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


def find_installed() -> Installed | None:
    """The first by the order of groups, then of names, if there is any."""
    for group in (_OWN, _KUMO, _SPACY):
        found = min(_installed(group), key=lambda one: one.package, default=None)
        if found is not None:
            return found
    return None


def _installed(group: str) -> Iterator[Installed]:
    for entry in entry_points(group=group):
        place = _place(entry, group)
        if place is not None and entry.dist is not None:
            yield Installed(entry.dist.name, entry.dist.version, place)


def _place(entry: EntryPoint, group: str) -> str | None:
    folder = _folder(entry.value.partition(":")[0].strip())
    if folder is None:
        return None
    if group == _OWN:
        parts = [str(folder / part.strip()) for part in entry.value.partition(":")[2].split(BESIDE)]
        return BESIDE.join(parts) if all(Path(part).is_file() for part in parts) else None
    if group == _SPACY:
        return str(folder) if vocabulary(folder) is not None else None
    numbers, words = (sorted((folder / "data").glob(pattern)) for pattern in ("*.npy", "*.parquet"))
    return f"{numbers[0]}{BESIDE}{words[0]}" if len(numbers) == len(words) == 1 else None


def _folder(package: str) -> Path | None:
    """Where a package lies; one of the highest level is found without being imported."""
    try:
        spec = find_spec(package) if "." not in package else None
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]) if places else None
