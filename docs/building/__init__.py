"""What builds the site: the reference, the picture of the architecture, pages from the root, checks."""
