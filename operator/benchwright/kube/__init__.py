"""The only code that speaks to the API server: raw JSON over aiohttp, no client models."""
