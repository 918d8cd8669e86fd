"""check and agree: what is in a crowd, how far its annotators agree, and whether to learn from it now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import PLAIN
from crowdseq.errors import Wording, in_python
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.description import Description, describe
from crowdseq.evaluation.measures import Agreement
from crowdseq.evaluation.remarks import remarks_before
from crowdseq.formats import ImportReport
from crowdseq.formats.files import is_run
from crowdseq.formats.registry import find_format
from crowdseq.workflows.reading import CrowdRequest, read_crowd, read_parts
from crowdseq.workflows.run import FORMAT_VERSION
from crowdseq.workflows.runs.verifying import CheckedRun, check_run

MOST_MENDS = 3
_LONG_SENTENCE = 250  # tokens on average: a document that nobody cut into sentences
_CHANCE = 0.1  # of Krippendorff's alpha: hardly more than by chance


@dataclass(frozen=True)
class Mend:
    """One thing to mend: what it is, and the command that does it or looks at it closer.

    settings: what to say to the command beside the files, as its options are named. more: words behind them.
    """

    what: str
    command: str = "check"
    settings: Mapping[str, str] = field(default_factory=dict)
    more: str = ""


@dataclass(frozen=True)
class Verdict:
    """What is to be mended, the most important first; nothing if the crowd is ready to be learned from."""

    mends: tuple[Mend, ...]

    @property
    def is_ready(self) -> bool:
        return not self.mends


READY = Mend("ready to learn", "learn", {"out": "run"})


class DescribedPart(NamedTuple):
    """One corpus in figures; types name its layer of spans if there are several.

    telling: the agreement of those of whom it says something.
    """

    types: tuple[str, ...]
    description: Description
    agreement: dict[str, Any]
    remarks: list[dict[str, Any]]
    telling: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        named = {"types": list(self.types)} if self.types else {}
        told = {"agreement": self.agreement, "remarks": self.remarks}
        return {**named, **self.description.as_dict(), **told}


@dataclass(frozen=True)
class CheckedCrowd:
    """A crowd in figures, one part for each layer of spans, and what reading it found. runs: of inputs that
    are run folders, whether they and their decisions are as they were written."""

    parts: tuple[DescribedPart, ...]
    report: ImportReport
    runs: Mapping[str, CheckedRun]

    @property
    def verdict(self) -> Verdict:
        """Whether it is ready to be learned from, or what to mend before."""
        return judge([(part.description, part.telling) for part in self.parts], self.report)

    def as_dict(self, wording: Wording = in_python) -> dict[str, Any]:
        """The content of `check` as JSON; wording: how its notes name settings."""
        made = [part.as_dict() for part in self.parts]
        whole = made[0] if len(made) == 1 else {"layers": made}
        return {"format_version": FORMAT_VERSION, **whole, "import": self.report.as_dict(wording)}


def check_files(request: CrowdRequest) -> CheckedCrowd:
    """Read, validate and describe some files."""
    runs = {name: check_run(name) for name in request.crowd if is_run(Path(name))}
    parts, report = read_parts(request.crowd, request.reading)
    # The description itself says where annotators are missing.
    request.listener.imported(report, is_gold=True)
    return CheckedCrowd(tuple(_described(part.types, part.corpus) for part in parts), report, runs)


def _described(types: tuple[str, ...], corpus: Corpus) -> DescribedPart:
    remarks = [remark.as_dict() for remark in remarks_before(corpus)]
    agreement = measure_agreement(corpus).summary()
    return DescribedPart(types, describe(corpus), agreement, remarks, _telling(corpus, agreement, remarks))


def _telling(
    corpus: Corpus, agreement: dict[str, Any], remarks: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The agreement of those who mark anything; sources that look for some things each need not agree."""
    if any(remark["kind"] == "silence" for remark in remarks):
        return {}
    blank = {
        name for remark in remarks if remark["kind"] == "blank" for name in remark["evidence"]["annotators"]
    }
    if not blank:
        return agreement
    marking = [name for name in corpus.annotators if name not in blank]
    return measure_agreement(corpus.keep_annotators(marking)).summary()


def agree_files(request: CrowdRequest) -> Agreement:
    """How far the annotators of some files agree."""
    corpus, _ = read_crowd(request)
    return measure_agreement(corpus)


def judge(described: Sequence[tuple[Description, Mapping[str, Any]]], report: ImportReport) -> Verdict:
    """The verdict on a crowd in figures and what reading it found; described: each part and its agreement."""
    found: list[Mend] = []
    for description, agreement in described:
        found += _of_labels(description, report)
        found += _of_overlap(description, report)
        found += _of_agreement(description, agreement)
    found += _of_report(report)
    found += [mend for description, _ in described for mend in _of_text(description)]
    unique = list({mend.what: mend for mend in found}.values())
    return Verdict(tuple(unique[:MOST_MENDS]))


def _of_labels(description: Description, report: ImportReport) -> Iterator[Mend]:
    told = report.finding("plain-beside-chunks")
    if told is not None and told.advice is not None:
        settings = {"missing": told.advice.settings["missing"]}
        yield Mend(
            "tags without B- or I- are mixed with others, so that there are no spans", settings=settings
        )
    if not description.annotators and not description.gold_sentences:
        yield Mend(
            "nobody labelled anything in these files: name those with labels", more="FILES-WITH-LABELS"
        )
    elif not description.annotators:
        if any("files_mean" in find_format(file.format).settings for file in report.files):
            yield Mend(
                "all labels are gold; if they are one annotator's", settings={"files_mean": "annotator"}
            )
        settings = {"method": "gold", "out": "run"}
        yield Mend("there is no crowd; if a tagger of the gold is all that is wanted", "learn", settings)
    elif description.scheme != PLAIN and not sum(description.voted_spans.values()):
        yield Mend(
            "no annotator marked a single span: name the files with their work", more="FILES-WITH-LABELS"
        )


def _of_overlap(description: Description, report: ImportReport) -> Iterator[Mend]:
    if report.finding("texts-equal") is not None:
        what = "the same texts have other ids for each annotator, so that nobody can be compared"
        yield Mend(what, settings={"match": "text"})
    elif len(description.annotators) > 1 and max(description.coverage) < 2:
        what = "no sentence was labelled by two annotators: add some that were, a few dozen will do"
        yield Mend(what, more="FILES-WITH-SHARED-SENTENCES")


def _of_agreement(description: Description, agreement: Mapping[str, Any]) -> Iterator[Mend]:
    alpha = next((value for name, value in agreement.items() if "alpha" in name.lower()), None)
    is_shared = len(description.annotators) > 1 and max(description.coverage) > 1
    if is_shared and isinstance(alpha, float) and alpha < _CHANCE:
        what = f"annotators agree hardly more than by chance ({alpha:.2f}): see who differs, and where"
        yield Mend(what, "agree")


def _of_report(report: ImportReport) -> Iterator[Mend]:
    unspaced = report.finding("words-unspaced")
    if unspaced is not None and unspaced.advice is not None:
        what = "words stand without spaces between them, so that spans cut tokens: cut them by characters"
        yield Mend(what, settings={"tokenizer": unspaced.advice.settings["tokenizer"]})
    if report.n_rejected:
        where = f", see {report.rejects_file}" if report.rejects_file else ""
        yield Mend(
            f"{report.n_rejected:,} faulty records were set aside{where}", settings={"on_error": "stop"}
        )
    if report.finding("sessions-by-time") is not None:
        what = "sessions are named by time, one person may count as several; if each file is one person's"
        yield Mend(what, settings={"files_mean": "annotator"})
    for group in report.look_alike_annotators:
        what = f"{' and '.join(group)} are most likely one person: map one name to the other in a file"
        yield Mend(what, settings={"names": "MAP.csv"})
    for group in report.look_alike_labels:
        what = f"labels {' and '.join(group)} differ only in their spelling: find where the wrong one stands"
        yield Mend(what, settings={"labels": group[0]})
    if report.finding("files-left-out") is not None:
        yield Mend(
            "files of a folder are in no known format and were left out: name theirs", settings={"format": ""}
        )


def _of_text(description: Description) -> Iterator[Mend]:
    if description.sentences and description.tokens / description.sentences > _LONG_SENTENCE:
        mean = description.tokens // description.sentences
        what = f"sequences have {mean:,} tokens on average, whole documents most likely: cut them"
        yield Mend(what, settings={"sentences": "rules"})
