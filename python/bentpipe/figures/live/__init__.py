"""Figures that can be zoomed and asked for their values, by Bokeh; each stands beside one of matplotlib's."""
