"""Files with knowledge beyond the crowd's own text."""
