"""What is proved of trees."""
