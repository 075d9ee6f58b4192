"""Code of the shop that one case runs for real."""
