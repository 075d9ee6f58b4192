"""The pre-commit hooks of dryfire-action: one module a hook, each with `main(argv) -> int`."""
