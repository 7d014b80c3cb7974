"""A package, as production code is laid out."""
