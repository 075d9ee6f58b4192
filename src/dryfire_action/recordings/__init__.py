"""Recordings of any tool, read layer by layer in search of secrets, and rewritten without them.

`files` is the front: `look` takes bytes and gives findings, `fix` gives the bytes back without what was found. `scan`
is the walk through one file. Everything else here knows one thing: a format (`yaml_tree`, `json_tree`), a notation
(`notations`), a compression, streams, multipart bodies.
"""
