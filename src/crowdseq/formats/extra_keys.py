"""Extra keys of a sentence that was cut from a text; with them an export gives back the characters marked."""

TEXT, SPANS, GOLD_SPANS, OFFSETS = "text", "spans", "gold_spans", "offsets"
ORIGINAL = "original_text"  # where the text was normalised
PART = "part_of"  # of which document a sentence was cut, and the how manieth part it is
