//! Geometry by its public interface: all files in one program, since each program is linked by itself.

mod bent_pipe;
mod choice;
mod common;
mod invariants;
mod isl;
mod refusals;
