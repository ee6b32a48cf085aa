"""The scripted model: plays a dialogue file as if it were a provider, without any network."""
