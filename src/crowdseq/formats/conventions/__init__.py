"""What files, fields and names stand for, for all tools alike."""
