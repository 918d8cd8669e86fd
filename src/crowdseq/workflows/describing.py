"""check and agree: what is in a crowd and how far its annotators agree, before anything is learned."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.errors import Wording, in_python
from crowdseq.evaluation.agreement import measure_agreement
from crowdseq.evaluation.description import Description, describe
from crowdseq.evaluation.measures import Agreement
from crowdseq.evaluation.remarks import remarks_before
from crowdseq.formats import ImportReport
from crowdseq.workflows.metrics import FORMAT_VERSION
from crowdseq.workflows.reading import CrowdRequest, read_crowd, read_parts
from crowdseq.workflows.verdict import Verdict, judge


class DescribedPart(NamedTuple):
    """One corpus in figures; types name its layer of spans if there are several."""

    types: tuple[str, ...]
    description: Description
    agreement: dict[str, Any]
    remarks: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        named = {"types": list(self.types)} if self.types else {}
        told = {"agreement": self.agreement, "remarks": self.remarks}
        return {**named, **self.description.as_dict(), **told}


@dataclass(frozen=True)
class CheckedCrowd:
    """A crowd in figures, one part for each layer of spans, and what reading it found."""

    parts: tuple[DescribedPart, ...]
    report: ImportReport

    @property
    def verdict(self) -> Verdict:
        """Whether it is ready to be learned from, or what to mend before."""
        return judge([(part.description, part.agreement) for part in self.parts], self.report)

    def as_dict(self, wording: Wording = in_python) -> dict[str, Any]:
        """The content of `check` as JSON; wording: how its notes name settings."""
        made = [part.as_dict() for part in self.parts]
        whole = made[0] if len(made) == 1 else {"layers": made}
        return {"format_version": FORMAT_VERSION, **whole, "import": self.report.as_dict(wording)}


def check_files(request: CrowdRequest) -> CheckedCrowd:
    """Read, validate and describe some files."""
    parts, report = read_parts(request.crowd, request.reading)
    # The description itself says where annotators are missing.
    request.listener.imported(report, is_gold=True)
    return CheckedCrowd(tuple(_described(part.types, part.corpus) for part in parts), report)


def _described(types: tuple[str, ...], corpus: Corpus) -> DescribedPart:
    remarks = [remark.as_dict() for remark in remarks_before(corpus)]
    return DescribedPart(types, describe(corpus), measure_agreement(corpus).summary(), remarks)


def agree_files(request: CrowdRequest) -> Agreement:
    """How far the annotators of some files agree."""
    corpus, _ = read_crowd(request)
    return measure_agreement(corpus)
