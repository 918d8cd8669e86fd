"""The nouns: frozen, checked at birth, no algorithms."""
