"""Clusters without parameters: candidates of many recipes, and a choice among them that needs no labels."""
