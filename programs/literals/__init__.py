"""Literals of a claim or an excerpt, by subject: numbers and units, times, identifiers, states, counts."""
