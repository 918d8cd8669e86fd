"""What is known of words beyond the crowd: gathered for a run, tried, and used where it helps."""
