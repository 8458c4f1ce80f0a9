"""One file for each system that elbowroom is run beside: a class `System`, see `base`."""
