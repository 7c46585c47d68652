"""How: one algorithm a file, each a generator of states. The driver in `trace` owns the loop."""
