"""What is proved: graphs and sparse precision matrices."""
