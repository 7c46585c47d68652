"""What is proved of kernel methods."""
