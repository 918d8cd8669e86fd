"""Tables of cells, beside the numbers that the paper prints."""
