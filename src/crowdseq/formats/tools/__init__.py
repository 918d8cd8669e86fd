"""One folder or file for each tool; they do not know each other."""
