"""L-BFGS and the vectors it works on."""
