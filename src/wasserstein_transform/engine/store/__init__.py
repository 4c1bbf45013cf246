"""Finished work on disk: tiles of tasks and states of flows, so that interrupted work can continue."""

from .code import code
from .folder import Store, StoreWarning, as_store, key_of
from .journal import Journal
from .lock import InUseError, Lock

__all__ = ["InUseError", "Journal", "Lock", "Store", "StoreWarning", "as_store", "code", "key_of"]
