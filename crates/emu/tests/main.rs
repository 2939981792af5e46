//! Origin and clients over the kernel's own sockets: all files in one program, since each program is linked by itself.

mod bulk;
mod common;
mod devices;
mod doubts;
mod foreign_servers;
mod garbage;
mod key_exchange;
mod link_part;
mod marking;
mod page_load;
mod ping;
mod proxy;
mod resumption;
mod tcp_knobs;
