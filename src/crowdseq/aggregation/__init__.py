"""What a method is: its contract, its registry, and the way from posteriors to a consensus."""
