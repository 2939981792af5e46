"""Distinguishable with every common kind of colour blindness: Okabe, Ito 2008, "Color Universal Design"."""

BLACK = "#000000"
BLUE = "#0072B2"
GREEN = "#009E73"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
SKY_BLUE = "#56B4E9"
VERMILION = "#D55E00"
