"""Long tables: one row for each label that somebody gave to a token."""
