//! Traces as other programs read them: all files in one program, since each program is linked by itself.

mod capture_file;
mod har;
mod ipv4;
mod pcapng;
mod wall_clock;
