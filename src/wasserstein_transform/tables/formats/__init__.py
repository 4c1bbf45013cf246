"""One file a format, but for text."""
