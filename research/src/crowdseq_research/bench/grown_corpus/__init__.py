"""Corpora of any size whose vocabulary grows as that of real text, with annotators of known characters."""
