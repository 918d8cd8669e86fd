"""CoNLL columns and their relatives."""
