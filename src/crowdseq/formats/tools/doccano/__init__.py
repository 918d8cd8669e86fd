"""doccano."""
