"""Files from strangers: every door that reads a file, and what is thrown at it."""
