"""How well both engines agree over a grid: measuring it, comparing, and docs/agreement.md."""
