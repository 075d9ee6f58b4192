"""Recordings of any tool, read layer by layer in search of secrets, and rewritten without them.

`scan` is the front: bytes in, findings out. `fix` gives the bytes back without what was found. Everything else here
knows one thing: a format (`yaml_tree`, `json_tree`), an encoding (`encodings`), streams, multipart bodies.
"""
