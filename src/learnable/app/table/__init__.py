"""A table in, rows with a part to play out."""
