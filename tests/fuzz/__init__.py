"""Files from strangers: every entry point that reads a file, and what is thrown at it."""
