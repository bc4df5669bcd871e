"""Search engine of explorations, and of the simulations in the tests.

It knows neither programs nor clusters: what is rare comes first, a failure is made smaller, and
runs again.
"""
