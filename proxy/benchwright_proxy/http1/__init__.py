"""HTTP/1.1 on asyncio protocols, for the two sides of a call that is relayed."""
