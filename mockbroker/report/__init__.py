"""Self-contained HTML pages: of a failed test, and of an audit, without Spark or Java."""
