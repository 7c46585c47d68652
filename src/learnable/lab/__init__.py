"""The lab: a local page in which any algorithm runs on any table, and its answer can be tampered with."""
