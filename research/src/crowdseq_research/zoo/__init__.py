"""The zoo: every method on crowds of every kind, one yardstick for the default."""
