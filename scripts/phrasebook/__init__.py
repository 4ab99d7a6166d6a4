"""Generator of the built-in phrasebook."""
