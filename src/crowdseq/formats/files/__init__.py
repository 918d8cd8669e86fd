"""From what the user names to lines of text: inputs, archives, encodings, limits."""
