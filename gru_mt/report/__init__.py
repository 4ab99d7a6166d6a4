"""Pages that show a run, and what sets several apart: what is computed, and how it is drawn."""
