"""Rules about applications: what their consumers read and commit, and what their producers send."""
