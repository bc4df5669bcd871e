"""Journals of any size, made by a program: regular traffic, and anomalies at known places."""
