//! System calls with their arguments understood.

use std::net::SocketAddr;

use crate::outcome::{ControlMessage, Handle};

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `socket` of a stream of TCP.
    Socket {
        /// `AF_INET`, `AF_INET6`.
        domain: Domain,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// `bind`.
    Bind(Handle, Address),
    /// `listen`.
    Listen(Handle, i32),
    /// `accept`, `accept4`.
    Accept {
        /// The listening socket.
        socket: Handle,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// `connect`.
    Connect(Handle, Address),
    /// `getsockname`, `getpeername`.
    Name(Handle, End),
    /// `read`, `readv`, `recv`, `recvfrom`.
    Read(Transfer),
    /// `recvmsg`.
    Receive {
        /// From where, and how much.
        transfer: Transfer,
        /// Whether there is room for control messages.
        with_control: bool,
    },
    /// `write`, `writev`, `send`, `sendmsg`, `sendto` without an address.
    Write(Transfer),
    /// `sendmsg` with control messages.
    Send(Transfer, Vec<ControlMessage>),
    /// `sendto` or `sendmsg` to the peer (`MSG_FASTOPEN`).
    SendTo(Transfer),
    /// `setsockopt`.
    SetOption(SocketOption, OptionValue),
    /// `getsockopt`.
    GetOption(SocketOption, OptionShape),
    /// `fcntl(F_GETFL)`.
    GetFlags(Handle),
    /// `fcntl(F_SETFL)`.
    SetFlags(Handle, i32),
    /// `ioctl` that gives a number.
    Ioctl(Handle, i64),
    /// `shutdown`.
    Shutdown(Handle, i32),
    /// `close`.
    Close(Handle),
    /// `pipe`.
    Pipe,
    /// `open`.
    Open(String, i32),
    /// `splice` without offsets.
    Splice {
        /// From where.
        from: Handle,
        /// To where.
        to: Handle,
        /// Bytes at most.
        length: u64,
        /// `SPLICE_F_MOVE` and the like.
        flags: u32,
    },
    /// `sendfile`.
    SendFile {
        /// To where.
        to: Handle,
        /// From where.
        from: Handle,
        /// Where to start; none for where the file is.
        offset: Option<i64>,
        /// Bytes at most.
        length: u64,
    },
    /// `poll`.
    Poll {
        /// Descriptors and the events asked for.
        entries: Vec<(Handle, i16)>,
        /// Milliseconds; negative for ever.
        timeout_ms: i32,
    },
    /// `epoll_create`, `epoll_create1`.
    EpollCreate,
    /// `epoll_ctl`.
    EpollControl {
        /// The epoll descriptor.
        epoll: Handle,
        /// `EPOLL_CTL_ADD` and the like.
        operation: i32,
        /// The descriptor that it is about.
        socket: Handle,
        /// Events asked for.
        events: i64,
    },
    /// `epoll_wait`.
    EpollWait {
        /// The epoll descriptor.
        epoll: Handle,
        /// Events at most.
        most: i32,
        /// Milliseconds; negative for ever.
        timeout_ms: i32,
    },
}

/// Version of IP of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// `...`: that of the script.
    Script,
    /// `AF_INET`.
    V4,
    /// `AF_INET6`.
    V6,
}

/// Where a socket is bound or connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// `...`: the script's, with its port.
    Script,
    /// One that is written.
    At(SocketAddr),
    /// `AF_UNSPEC`: the end of what there was.
    Unspecified,
}

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The socket's own.
    Local,
    /// Its peer's.
    Peer,
}

/// A buffer of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Bytes.
    pub length: u64,
    /// Where it is, if that is written: `NULL`, or an address that no process has.
    pub pointer: Option<i64>,
}

/// Bytes to read or to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// From or to where.
    pub socket: Handle,
    /// Where the bytes are or go.
    pub buffers: Vec<Buffer>,
    /// `MSG_DONTWAIT` and the like; none of a call that has none, which also reads and writes files and pipes.
    pub flags: Option<i32>,
}

impl Transfer {
    /// Bytes of all buffers.
    pub fn length(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.length).sum()
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: i32) -> bool {
        self.flags.unwrap_or(0) & flag != 0
    }
}

/// An option of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketOption {
    /// Whose.
    pub socket: Handle,
    /// `SOL_SOCKET` and the like.
    pub level: i64,
    /// `SO_REUSEADDR` and the like.
    pub name: i64,
}

/// What an option is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A number of 32 bits.
    Integer(i64),
    /// A number of another length, as the machine has it.
    Bytes(Vec<u8>),
    /// A name.
    Text(String),
    /// `SO_LINGER`: on or off, seconds.
    Linger(i64, i64),
    /// A time: seconds, microseconds.
    Time(i64, i64),
}

/// What an option is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionShape {
    /// A number of 32 bits.
    Integer,
    /// A number of 64 bits.
    Long,
    /// A name.
    Text,
    /// `SO_LINGER`.
    Linger,
    /// A time.
    Time,
}
