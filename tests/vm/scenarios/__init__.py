"""Each module here is a scenario: TITLE, KERNELS, and run(context). See ../README.md."""
