"""Images: pixels that move within windows, regions, contours, and color spaces."""
