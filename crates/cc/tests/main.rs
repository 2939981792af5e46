//! Congestion controls on a deterministic path: all files in one program, since each program is linked by itself.

mod any_sequence;
mod bbr;
mod bbr3;
mod careful_resume;
mod common;
mod cubic;
mod example;
mod hybla;
mod prague;
mod rate;
mod reno;
mod slow_start;
mod usage;
mod vivace;
