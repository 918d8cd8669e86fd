"""Words as points: clusters of vectors, and vectors from running text."""
