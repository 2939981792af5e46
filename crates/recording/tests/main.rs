//! Recorded paths: formats read and written, and what a link makes of them.

mod common;
mod irtt;
mod leocc;
mod mahimahi;
mod malformed;
mod pings;
mod schedule_file;
