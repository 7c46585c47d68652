"""One picture a file: what a kind of state looks like, in the words of `learnable.films.marks`."""
