//! Scoresheet archives from Python.
