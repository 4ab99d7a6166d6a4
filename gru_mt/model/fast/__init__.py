"""Code that only makes a CPU faster.

Each part has a plain twin beside its call, and `switch` turns all parts off.
"""
