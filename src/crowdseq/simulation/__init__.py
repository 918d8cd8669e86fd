"""A made-up crowd of known precision, out of gold tags."""
