"""How good is it, and how far do the annotators agree."""
