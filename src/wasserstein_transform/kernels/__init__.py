"""Compiled code: arrays in, arrays out, status back. Imports nothing of the package.

Every kernel releases the GIL and starts no thread of its own: parallelism lives in `engine`.
"""
