"""The paper again: experiments as cells, cells as tables, tables as a page beside its own numbers."""
