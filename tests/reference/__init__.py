"""Slow, obvious twins of the library's algorithms."""
