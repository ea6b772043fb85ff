"""Programs that the tests bring to the guest."""
