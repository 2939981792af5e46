//! System calls of a script.
//!
//! They are made as they are written, bad descriptors included, which is what the library of safe calls keeps one
//! from; buffers are as long as the calls say.

use std::ffi::CString;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use bentpipe_packetdrill::{
    Address, Buffer, Call, Domain, End, Handle, IpVersion, OptionShape, OptionValue, Outcome, Output,
    Settings, SocketOption, Transfer,
};
use libc::{c_int, c_void, socklen_t};
use socket2::SockAddr;

use super::control;

/// Longer names has no congestion control (`TCP_CA_NAME_MAX`).
const NAME_BYTES: usize = 16;

/// Events of one call at most; a script has a handful of descriptors.
const MOST_EVENTS: i32 = 1024;

/// What sockets are of, and the addresses that `bind` and `connect` get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    domain: c_int,
    local: SocketAddr,
    remote: SocketAddr,
}

impl Target {
    pub fn of(settings: &Settings) -> Self {
        let domain = match settings.ip_version {
            IpVersion::V4 => libc::AF_INET,
            IpVersion::V4Mapped | IpVersion::V6 => libc::AF_INET6,
        };
        let seen = |address: IpAddr, port| {
            let host =
                settings.ip_version.address(address).expect("settings have addresses of their version");
            SocketAddr::new(host, port)
        };
        Self {
            domain,
            local: seen(Ipv4Addr::UNSPECIFIED.into(), settings.bind_port),
            remote: seen(settings.remote, settings.connect_port),
        }
    }

    const fn domain(self, domain: Domain) -> c_int {
        match domain {
            Domain::Script => self.domain,
            Domain::V4 => libc::AF_INET,
            Domain::V6 => libc::AF_INET6,
        }
    }
}

/// Makes a call, however long it takes.
pub(super) fn perform(call: &Call, target: Target) -> Outcome {
    match call {
        Call::Socket { domain, nonblocking } => {
            let kind = libc::SOCK_STREAM | if *nonblocking { libc::SOCK_NONBLOCK } else { 0 };
            let domain = target.domain(*domain);
            // SAFETY: no memory is passed.
            outcome(unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, libc::IPPROTO_TCP) })
        }
        Call::Bind(socket, address) => with_address(*address, target.local, |address, length| {
            // SAFETY: the address lives during the call.
            unsafe { libc::bind(fd(*socket), address, length) }
        }),
        Call::Connect(socket, address) => with_address(*address, target.remote, |address, length| {
            // SAFETY: the address lives during the call.
            unsafe { libc::connect(fd(*socket), address, length) }
        }),
        // SAFETY: no memory is passed.
        Call::Listen(socket, backlog) => outcome(unsafe { libc::listen(fd(*socket), *backlog) }),
        Call::Accept { socket, nonblocking } => {
            let flags = libc::SOCK_CLOEXEC | if *nonblocking { libc::SOCK_NONBLOCK } else { 0 };
            // SAFETY: the address is not asked for.
            outcome(unsafe { libc::accept4(fd(*socket), std::ptr::null_mut(), std::ptr::null_mut(), flags) })
        }
        Call::Name(socket, end) => name(*socket, *end),
        Call::Read(transfer) if transfer.flags.is_none() => {
            let vectors = Vectors::of(transfer);
            let (entries, count) = (vectors.entries.as_ptr(), vectors.entries.len() as c_int);
            // SAFETY: the buffers live during the call and are so long.
            outcome(unsafe { libc::readv(fd(transfer.socket), entries, count) } as i64)
        }
        Call::Read(transfer) => message(transfer, None, &mut [], receive),
        Call::Receive { transfer, with_control } => {
            let mut room = vec![0; if *with_control { control::ROOM } else { 0 }];
            let mut told = Output::None;
            let done = message(transfer, None, &mut room, |socket, message, flags| {
                let result = receive(socket, message, flags);
                // One that failed has left the message as it was.
                if result >= 0 {
                    told = Output::Message(i64::from(message.msg_flags), control::read(message));
                }
                result
            });
            Outcome { output: told, ..done }
        }
        Call::Write(transfer) if transfer.flags.is_none() => {
            let vectors = Vectors::of(transfer);
            let (entries, count) = (vectors.entries.as_ptr(), vectors.entries.len() as c_int);
            // SAFETY: the buffers live during the call and are so long.
            outcome(unsafe { libc::writev(fd(transfer.socket), entries, count) } as i64)
        }
        Call::Write(transfer) => message(transfer, None, &mut [], send),
        Call::Send(transfer, told) => message(transfer, None, &mut control::written(told), send),
        Call::SendTo(transfer) => message(transfer, Some(target.remote), &mut [], send),
        Call::SetOption(option, value) => set_option(*option, value),
        Call::GetOption(option, shape) => get_option(*option, *shape),
        // SAFETY: no memory is passed.
        Call::GetFlags(socket) => outcome(unsafe { libc::fcntl(fd(*socket), libc::F_GETFL) }),
        // SAFETY: no memory is passed.
        Call::SetFlags(socket, flags) => outcome(unsafe { libc::fcntl(fd(*socket), libc::F_SETFL, *flags) }),
        Call::Ioctl(socket, request) => {
            let mut number: c_int = 0;
            // SAFETY: the requests that scripts have write one number.
            let result = outcome(unsafe { libc::ioctl(fd(*socket), *request as libc::c_ulong, &mut number) });
            Outcome { output: Output::Integer(i64::from(number)), ..result }
        }
        // SAFETY: no memory is passed.
        Call::Shutdown(socket, how) => outcome(unsafe { libc::shutdown(fd(*socket), *how) }),
        // SAFETY: the descriptor is the script's.
        Call::Close(socket) => outcome(unsafe { libc::close(fd(*socket)) }),
        Call::Pipe => {
            let mut opened: [c_int; 2] = [0; 2];
            // SAFETY: two numbers are written.
            let result = outcome(unsafe { libc::pipe2(opened.as_mut_ptr(), libc::O_CLOEXEC) });
            Outcome { output: Output::Descriptors(opened.map(i64::from)), ..result }
        }
        Call::Open(path, flags) => match CString::new(path.as_str()) {
            // SAFETY: the path lives during the call.
            Ok(path) => outcome(unsafe { libc::open(path.as_ptr(), *flags | libc::O_CLOEXEC, 0o600) }),
            Err(_) => Outcome::error(libc::EINVAL),
        },
        Call::Splice { from, to, length, flags } => {
            let (none, also) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: no memory is passed.
            outcome(unsafe { libc::splice(fd(*from), none, fd(*to), also, *length as usize, *flags) } as i64)
        }
        Call::SendFile { to, from, offset, length } => {
            let mut start = offset.unwrap_or(0);
            let start = if offset.is_some() { &raw mut start } else { std::ptr::null_mut() };
            // SAFETY: the offset lives during the call.
            outcome(unsafe { libc::sendfile(fd(*to), fd(*from), start, *length as usize) } as i64)
        }
        Call::Poll { entries, timeout_ms } => poll(entries, *timeout_ms),
        // SAFETY: no memory is passed.
        Call::EpollCreate => outcome(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) }),
        Call::EpollControl { epoll, operation, socket, events } => {
            let mut event = libc::epoll_event { events: *events as u32, u64: socket.0 as u64 };
            // SAFETY: the event lives during the call.
            outcome(unsafe { libc::epoll_ctl(fd(*epoll), *operation, fd(*socket), &mut event) })
        }
        Call::EpollWait { epoll, most, timeout_ms } => epoll_wait(*epoll, *most, *timeout_ms),
    }
}

/// Has a socket, and those accepted from it, use a congestion control; one that the kernel does not have is left.
pub(super) fn choose_congestion_control(socket: Handle, name: &str) {
    let option = SocketOption { socket, level: libc::SOL_TCP.into(), name: libc::TCP_CONGESTION.into() };
    set_option(option, &OptionValue::Text(name.to_owned()));
}

/// Closes a descriptor and has what blocks in it return.
pub(super) fn end(handle: Handle) {
    // SAFETY: no memory is passed, and the descriptor is the script's.
    unsafe {
        libc::shutdown(fd(handle), libc::SHUT_RDWR);
        libc::close(fd(handle));
    }
}

const fn fd(handle: Handle) -> c_int {
    handle.0 as c_int
}

fn outcome(result: impl Into<i64>) -> Outcome {
    match result.into() {
        -1 => Outcome::error(io::Error::last_os_error().raw_os_error().unwrap_or(0)),
        result => Outcome::of(result),
    }
}

fn with_address(
    address: Address,
    script: SocketAddr,
    call: impl FnOnce(*const libc::sockaddr, socklen_t) -> c_int,
) -> Outcome {
    let address = match address {
        Address::Script => SockAddr::from(script),
        Address::At(address) => SockAddr::from(address),
        Address::Unspecified => {
            // SAFETY: zero is a value of each of its fields.
            let mut address: libc::sockaddr = unsafe { zeroed() };
            address.sa_family = libc::AF_UNSPEC as libc::sa_family_t;
            return outcome(call(&raw const address, size_of::<libc::sockaddr>() as socklen_t));
        }
    };
    outcome(call(address.as_ptr().cast(), address.len()))
}

fn receive(socket: c_int, message: &mut libc::msghdr, flags: c_int) -> isize {
    // SAFETY: what the message points to lives during the call.
    unsafe { libc::recvmsg(socket, message, flags) }
}

fn send(socket: c_int, message: &mut libc::msghdr, flags: c_int) -> isize {
    // SAFETY: what the message points to lives during the call.
    unsafe { libc::sendmsg(socket, message, flags | libc::MSG_NOSIGNAL) }
}

/// Makes a message of buffers, an address and control messages, which live until `call` returns.
fn message(
    transfer: &Transfer,
    address: Option<SocketAddr>,
    control: &mut [u8],
    call: impl FnOnce(c_int, &mut libc::msghdr, c_int) -> isize,
) -> Outcome {
    let mut vectors = Vectors::of(transfer);
    let address = address.map(SockAddr::from);
    // SAFETY: zero is a value of each of its fields.
    let mut message: libc::msghdr = unsafe { zeroed() };
    if let Some(address) = &address {
        // The kernel reads it alone: no script asks who has sent what.
        message.msg_name = address.as_ptr().cast::<c_void>().cast_mut();
        message.msg_namelen = address.len();
    }
    message.msg_iov = vectors.entries.as_mut_ptr();
    message.msg_iovlen = vectors.entries.len() as _;
    if !control.is_empty() {
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = control.len() as _;
    }
    outcome(call(fd(transfer.socket), &mut message, transfer.flags.unwrap_or(0)) as i64)
}

/// The buffers of a transfer as the kernel takes them.
struct Vectors {
    entries: Vec<libc::iovec>,
    /// What they point to.
    _memory: Vec<Vec<u8>>,
}

impl Vectors {
    fn of(transfer: &Transfer) -> Self {
        let length = |buffer: &Buffer| if buffer.pointer.is_none() { buffer.length as usize } else { 0 };
        let mut memory: Vec<Vec<u8>> =
            transfer.buffers.iter().map(|buffer| vec![0; length(buffer)]).collect();
        let entries = transfer.buffers.iter().zip(&mut memory).map(|(buffer, memory)| libc::iovec {
            // One that is written is no address of a process, and the kernel refuses it.
            iov_base: match buffer.pointer {
                Some(written) => std::ptr::without_provenance_mut(written as usize),
                None => memory.as_mut_ptr().cast(),
            },
            iov_len: buffer.length as usize,
        });
        Self { entries: entries.collect(), _memory: memory }
    }
}

fn name(socket: Handle, end: End) -> Outcome {
    let call = match end {
        End::Local => libc::getsockname,
        End::Peer => libc::getpeername,
    };
    // SAFETY: it writes no more than the length says, and what it has written is an address.
    let named = unsafe {
        SockAddr::try_init(|address, length| match call(fd(socket), address.cast(), length) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        })
    };
    match named.map(|((), address)| address.as_socket()) {
        Ok(Some(address)) => Outcome { output: Output::Address(address), ..Outcome::of(0) },
        Ok(None) => Outcome::of(0),
        Err(error) => Outcome::error(error.raw_os_error().unwrap_or(0)),
    }
}

fn set_option(option: SocketOption, value: &OptionValue) -> Outcome {
    let linger;
    let time;
    let number;
    let (bytes, length): (*const c_void, usize) = match value {
        OptionValue::Integer(integer) => {
            number = *integer as c_int;
            ((&raw const number).cast(), size_of::<c_int>())
        }
        OptionValue::Bytes(bytes) => (bytes.as_ptr().cast(), bytes.len()),
        OptionValue::Text(text) => (text.as_ptr().cast(), text.len()),
        OptionValue::Linger(on, seconds) => {
            linger = libc::linger { l_onoff: *on as c_int, l_linger: *seconds as c_int };
            ((&raw const linger).cast(), size_of::<libc::linger>())
        }
        OptionValue::Time(seconds, micros) => {
            time = libc::timeval { tv_sec: *seconds, tv_usec: *micros };
            ((&raw const time).cast(), size_of::<libc::timeval>())
        }
    };
    let (level, name) = (option.level as c_int, option.name as c_int);
    // SAFETY: the value lives during the call and is so long.
    outcome(unsafe { libc::setsockopt(fd(option.socket), level, name, bytes, length as socklen_t) })
}

fn get_option(option: SocketOption, shape: OptionShape) -> Outcome {
    let mut bytes = [0_u8; NAME_BYTES];
    let mut length = match shape {
        OptionShape::Integer => size_of::<c_int>(),
        OptionShape::Long => size_of::<i64>(),
        OptionShape::Time => size_of::<libc::timeval>(),
        OptionShape::Linger => size_of::<libc::linger>(),
        OptionShape::Text => NAME_BYTES,
    } as socklen_t;
    let (level, name) = (option.level as c_int, option.name as c_int);
    // SAFETY: no more is written than the buffer holds.
    let result = outcome(unsafe {
        libc::getsockopt(fd(option.socket), level, name, bytes.as_mut_ptr().cast(), &mut length)
    });
    let number = |at: usize| {
        let number = bytes[at..at + 4].try_into().map(i32::from_ne_bytes);
        i64::from(number.unwrap_or(0))
    };
    let long = |at: usize| bytes[at..at + 8].try_into().map_or(0, i64::from_ne_bytes);
    let output = match shape {
        OptionShape::Integer => Output::Integer(number(0)),
        OptionShape::Long => Output::Integer(long(0)),
        OptionShape::Time => Output::Time(long(0), long(8)),
        OptionShape::Linger => Output::Linger(number(0), number(4)),
        OptionShape::Text => {
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            Output::Text(String::from_utf8_lossy(text).into_owned())
        }
    };
    Outcome { output, ..result }
}

fn poll(entries: &[(Handle, i16)], timeout_ms: i32) -> Outcome {
    let of = |(socket, events): &(Handle, i16)| libc::pollfd { fd: fd(*socket), events: *events, revents: 0 };
    let mut polled: Vec<libc::pollfd> = entries.iter().map(of).collect();
    // SAFETY: the array lives during the call and is so long.
    let result =
        outcome(unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, timeout_ms) });
    let events = polled.iter().map(|entry| i64::from(entry.revents)).collect();
    Outcome { output: Output::Events(events), ..result }
}

fn epoll_wait(epoll: Handle, most: i32, timeout_ms: i32) -> Outcome {
    let most = most.min(MOST_EVENTS);
    let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; most.max(1) as usize];
    // SAFETY: the array lives during the call and is at least so long.
    let result = outcome(unsafe { libc::epoll_wait(fd(epoll), events.as_mut_ptr(), most, timeout_ms) });
    let ready = events.iter().take(result.result.max(0) as usize).map(|event| i64::from(event.events));
    Outcome { output: Output::Events(ready.collect()), ..result }
}
