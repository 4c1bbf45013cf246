"""Readers and writers, one module for each format other than text."""
