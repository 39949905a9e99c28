"""Commands on stored runs of any kind: events, studies and laboratory runs."""
