"""The commands beside `learnable learn`."""
