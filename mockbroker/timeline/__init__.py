"""Timelines of partitions, transactional ids and findings: values, their makers, and the drawing.

The web page, the report of a failed test, the report of an audit and notebooks use the same values
and the same drawing. Nothing here needs Spark, Java or an HTTP server.
"""
