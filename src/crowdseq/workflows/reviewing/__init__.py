"""Reviewing a run: the queue of disputes, what a reviewer may do with them, and what comes of it."""
