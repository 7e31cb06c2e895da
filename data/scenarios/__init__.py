"""Shipped incidents: telemetry, runbooks, and the seeded generator that rebuilds the telemetry."""
