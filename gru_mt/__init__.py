"""gru-mt: train a GRU translator on sentence pairs, measure it honestly, translate with it."""
