"""What a sparse fit says: optimality conditions and pictures."""
