//! Scoresheet archives as Arrow record batches.
