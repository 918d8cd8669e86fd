"""From words to tags."""
