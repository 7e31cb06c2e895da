"""One module an incident over a few shared ones. Every draw comes from a named seeded stream (see ``dice``)."""
