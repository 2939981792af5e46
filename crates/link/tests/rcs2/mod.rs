//! The air interface of the return link against the standard's numbers, and what holds for every layout and burst.

mod layout;
mod rle;
mod waveform;
