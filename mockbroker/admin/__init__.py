"""The HTTP door: what a test does with a cluster, for programs in any language (extra `http`)."""
