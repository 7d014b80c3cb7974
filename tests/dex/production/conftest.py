"""The modules here are written for the real system, where `import dex` is an installed package: they are loaded by
the tests beside, and no test runner may import them."""

collect_ignore_glob = ["*.py"]
