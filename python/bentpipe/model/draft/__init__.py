"""The shapes of specifications while a scenario puts them together, key by key; complete ones are frozen."""
