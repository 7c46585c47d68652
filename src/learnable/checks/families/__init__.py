"""What the checks need to know of each family: data and alterations, one file a family."""
