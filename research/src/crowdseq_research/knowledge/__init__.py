"""What knowledge beyond the crowd brings: on crowds of several kinds, and what it costs."""
