"""What was found wrong or odd on the way, and the report on it."""
