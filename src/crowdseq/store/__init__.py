"""What reviewers decided: an append-only log in SQLite, and the state that follows from it."""
