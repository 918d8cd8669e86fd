"""Keys of the extras under which a sentence keeps the text and the spans that its tokens came from."""

TEXT, SPANS, GOLD_SPANS, OFFSETS = "text", "spans", "gold_spans", "offsets"
ORIGINAL = "original_text"  # where the text was normalised
