"""Generated journals of any size: regular traffic, and anomalies at known positions."""
