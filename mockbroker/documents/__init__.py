"""What the doors of a cluster read and write: rules, views and orders, as strict documents."""
