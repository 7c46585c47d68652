"""The race: ours against the rivals, on one machine, in one run, at equal accuracy."""
