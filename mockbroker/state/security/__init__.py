"""ACLs of a cluster, and the authorizer that decides by them."""
