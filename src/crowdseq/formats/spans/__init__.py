"""Characters to tokens and back."""
