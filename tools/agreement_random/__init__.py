"""How well both engines agree on cells that chance has chosen: drawing, measuring, a section of the page."""
