"""How graphs and sparse precision matrices are found."""
