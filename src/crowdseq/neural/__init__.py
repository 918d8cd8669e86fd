"""What a local language model knows of words (extra `neural`); only here torch is imported."""
