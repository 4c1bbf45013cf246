"""Answers without parameters: a scale for the noise of the data, clusters."""
