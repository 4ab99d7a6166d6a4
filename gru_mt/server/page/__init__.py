"""The page at /: it asks the server that it comes from, and no other address."""
