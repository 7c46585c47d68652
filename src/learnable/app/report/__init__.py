"""The report of a run, in words, tables and pictures."""
