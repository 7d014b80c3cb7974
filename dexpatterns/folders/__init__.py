"""What a folder of content holds, file by file: its TOML, its card, its code, and what its `world.py` says.

The catalog and the exercises are made of such folders. Every fault is the folder's, and is told with its place and
mend. Where the folders lie, and what is made of them, is not known here.
"""
