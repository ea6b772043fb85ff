"""Holds a saved stage against what the kernel and other tools said in that same stage."""
