"""A run as one page that opens anywhere: no server, no network, no script needed."""

from crowdseq.reports.html.page import report_html

__all__ = ["report_html"]
