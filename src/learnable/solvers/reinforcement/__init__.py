"""How: decision processes."""
