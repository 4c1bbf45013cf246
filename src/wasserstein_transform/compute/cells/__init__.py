"""Points sorted into the cells of a grid, so that a ball visits only cells around it; gathers and bounds of rows."""
