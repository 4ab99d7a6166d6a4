"""Translators behind an address, for programs that speak LibreTranslate's REST API.

Requests of all clients share batches (`batcher`). The routes are in `app`; uvicorn listens.
"""
