"""What the trials say: figures, differences, a choice, and a closer look at it."""
