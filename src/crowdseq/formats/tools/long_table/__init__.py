"""The long table: one row for each label."""
