"""How far ours may lie from a published number that has no spread of its own, in percent of it.

A margin follows from how the number is printed, not from what ours came to.
"""

LEVEL_MARGIN_PERCENT = 10.0
"""Of two or three digits: what another rig's headers, timers and hosts make of it."""
TIME_MARGIN_PERCENT = 15.0
"""Of whole seconds: half a second of 4 s is 12.5 %."""
ROUGH_MARGIN_PERCENT = 25.0
"""Of what is said to be "about" or "above" a number, or read off a figure."""
