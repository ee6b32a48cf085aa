"""Where answers come from: servers on the network, and the scripted model."""
