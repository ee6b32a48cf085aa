"""What the proxy costs, against no proxy and against other proxies (see __main__)."""
