"""What a user wants done, for all doors."""
