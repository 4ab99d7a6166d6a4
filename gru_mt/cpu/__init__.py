"""What only makes a CPU fast.

Each part has a plain twin where it is called from, and `switch` turns all of them off.
"""
