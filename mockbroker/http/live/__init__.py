"""Live page: its files, its views, its pictures, and the stream of changes."""
