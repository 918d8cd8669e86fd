"""The demo corpus: text of our own, and the made-up crowd that labels it."""
