//! SPDY/3.1 through its public interface: frames written by hand after the draft, any split of bytes, flow control,
//! errors and hostile peers.

mod errors;
mod flow;
mod frames;
mod hostile;
mod pair;
mod priorities;
