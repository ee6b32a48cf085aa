"""The proxy between agents and models: relays natively, meters what providers say, keeps to limits.

It knows nothing of `benchwright`, which uses its `token` module alone. Reading order: token (who
calls), data_port (what happens to a request), call (its relay), usage (what is counted), journal
(what is kept), limits (what is refused).
"""
