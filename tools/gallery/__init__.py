"""docs/gallery.md: figures that `bentpipe run` draws, each with the scenario below it."""
