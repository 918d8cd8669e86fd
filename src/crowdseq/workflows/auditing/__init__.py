"""Finishing with a bound: a blind sample of a run, the answers to it, and how good the unread rest is."""
