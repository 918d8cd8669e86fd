"""Channels: what one file keeps apart (controls, questions, annotation layers), of which one is read."""

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.findings.collector import Collector


class Channels:
    """Remembers the layers that spans of a file come from; kind is what the tool calls one."""

    def __init__(self, collector: Collector, file: str, kind: str) -> None:
        self.file, self.kind, self.asked = file, kind, collector.settings.layer
        self.collector = collector
        self.found: dict[str, None] = {}

    def takes(self, name: str) -> bool:
        """Whether spans of this layer are read; of several that nobody chose from, only the first one."""
        if name not in self.found:
            self.found[name] = None
        return name == (next(iter(self.found)) if self.asked is None else self.asked)

    def finish(self) -> None:
        """Raise if it is not clear which layer is meant."""
        shown = ", ".join(self.found)
        if self.asked is None and len(self.found) > 1:
            what = f"labels come from several {self.kind}s ({shown})"
            advice = Advice("say which one with {layer}", layer="")
            raise FormatError(Problem(what, self.file, advice=advice))
        if self.asked is not None and self.found and self.asked not in self.found:
            what = f"no label comes from the {self.kind} '{self.asked}', there is {shown}:"
            raise FormatError(Problem(what, self.file, advice=Advice("say it with {layer}", layer="")))
        for name in self.found:
            if self.asked is not None and name != self.asked:
                what = f"{self.kind}s were left out, they are not the one that is read"
                self.collector.warn("layers-left-out", what, Problem(name, self.file))
