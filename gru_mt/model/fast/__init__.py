"""Code that only makes a CPU faster.

A reference implementation stands beside each call, and `switch` turns the fast one off.
"""
