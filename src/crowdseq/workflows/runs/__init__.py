"""What a run folder is made of: writing it, reading its parts, checking it."""
