//! System calls of a script.
//!
//! They are made as they are written, bad descriptors included, which is what the library of safe calls keeps one
//! from; buffers are as long as the calls say.

use std::io;
use std::mem::{size_of, zeroed};
use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_packetdrill::{
    Call, Handle, OptionShape, OptionValue, Outcome, Output, Settings, SocketOption, Transfer,
};
use libc::{c_int, c_void, socklen_t};

/// Longer names has no congestion control (`TCP_CA_NAME_MAX`).
const NAME_BYTES: usize = 16;

/// Events of one call at most; a script has a handful of descriptors.
const MOST_EVENTS: i32 = 1024;

/// The addresses that `bind` and `connect` get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    local: SocketAddrV4,
    remote: SocketAddrV4,
}

impl Target {
    pub fn of(settings: &Settings) -> Self {
        Self {
            local: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, settings.bind_port),
            remote: SocketAddrV4::new(settings.remote, settings.connect_port),
        }
    }
}

/// Makes a call, however long it takes.
pub(super) fn perform(call: &Call, target: Target) -> Outcome {
    match call {
        Call::Socket { nonblocking } => {
            let kind = libc::SOCK_STREAM | if *nonblocking { libc::SOCK_NONBLOCK } else { 0 };
            // SAFETY: no memory is passed.
            outcome(unsafe { libc::socket(libc::AF_INET, kind | libc::SOCK_CLOEXEC, libc::IPPROTO_TCP) })
        }
        Call::Bind(socket) => with_address(target.local, |address, length| {
            // SAFETY: the address lives during the call.
            unsafe { libc::bind(fd(*socket), address, length) }
        }),
        Call::Connect(socket) => with_address(target.remote, |address, length| {
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
        Call::Read(transfer) => message(transfer, None, |socket, message, flags| {
            // SAFETY: the message's buffers live during the call.
            unsafe { libc::recvmsg(socket, message, flags) }
        }),
        Call::Write(transfer) => message(transfer, None, |socket, message, flags| {
            // SAFETY: the message's buffers live during the call.
            unsafe { libc::sendmsg(socket, message, flags | libc::MSG_NOSIGNAL) }
        }),
        Call::SendTo(transfer) => message(transfer, Some(target.remote), |socket, message, flags| {
            // SAFETY: the message's buffers and its address live during the call.
            unsafe { libc::sendmsg(socket, message, flags | libc::MSG_NOSIGNAL) }
        }),
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

fn socket_address(address: SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
        sin_zero: [0; 8],
    }
}

fn with_address(
    address: SocketAddrV4,
    call: impl FnOnce(*const libc::sockaddr, socklen_t) -> c_int,
) -> Outcome {
    let address = socket_address(address);
    outcome(call((&raw const address).cast(), size_of::<libc::sockaddr_in>() as socklen_t))
}

fn message(
    transfer: &Transfer,
    address: Option<SocketAddrV4>,
    call: impl FnOnce(c_int, &mut libc::msghdr, c_int) -> isize,
) -> Outcome {
    let mut buffers: Vec<Vec<u8>> = transfer.lengths.iter().map(|length| vec![0; *length as usize]).collect();
    let mut vectors: Vec<libc::iovec> = buffers
        .iter_mut()
        .map(|buffer| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() })
        .collect();
    let mut address = address.map(socket_address);
    // SAFETY: zero is a value of each of its fields.
    let mut message: libc::msghdr = unsafe { zeroed() };
    if let Some(address) = &mut address {
        message.msg_name = (&raw mut *address).cast();
        message.msg_namelen = size_of::<libc::sockaddr_in>() as socklen_t;
    }
    message.msg_iov = vectors.as_mut_ptr();
    message.msg_iovlen = vectors.len() as _;
    outcome(call(fd(transfer.socket), &mut message, transfer.flags) as i64)
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
    let output = match shape {
        OptionShape::Integer => Output::Integer(number(0)),
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
