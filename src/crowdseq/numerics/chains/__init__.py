"""Forward-backward sums, best paths, pruned lattices."""
