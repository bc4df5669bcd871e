"""What was sent, acknowledged, appended and visible: rows, rules over them, and lanes of text."""
