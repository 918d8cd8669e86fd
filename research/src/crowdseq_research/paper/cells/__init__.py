"""Cells: what an experiment computes, one by one, each with the recipe that it was computed with."""
