//! System calls with their arguments understood.

use std::collections::BTreeMap;

use crate::expression::{Definitions, Expression};
use crate::outcome::{Handle, Missing, Outcome, Output};
use crate::script::CallLine;
use crate::symbols::errno_name;

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `socket` of a stream over IPv4.
    Socket {
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// `bind` to the script's port.
    Bind(Handle),
    /// `listen`.
    Listen(Handle, i32),
    /// `accept`, `accept4`.
    Accept {
        /// The listening socket.
        socket: Handle,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// `connect` to the peer.
    Connect(Handle),
    /// `read`, `readv`, `recv`, `recvfrom`, `recvmsg`.
    Read(Transfer),
    /// `write`, `writev`, `send`, `sendmsg`, `sendto` without an address.
    Write(Transfer),
    /// `sendto` the peer (`MSG_FASTOPEN`).
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

/// Bytes of one call at most.
const LARGEST_TRANSFER: u64 = 1 << 30;

/// Bytes to read or to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// From or to where.
    pub socket: Handle,
    /// Lengths of the buffers.
    pub lengths: Vec<u64>,
    /// `MSG_DONTWAIT` and the like.
    pub flags: i32,
}

impl Transfer {
    /// Bytes of all buffers.
    pub fn length(&self) -> u64 {
        self.lengths.iter().sum()
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
    /// A name.
    Text,
    /// `SO_LINGER`.
    Linger,
}

/// What is expected of what a call writes to its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedOutput {
    /// Anything.
    Any,
    /// Just this.
    Exactly(Output),
}

/// What a script calls its descriptors.
pub type Handles = BTreeMap<i64, Handle>;

/// A call that is understood, and what is expected of its arguments.
pub(crate) struct Prepared {
    pub call: Call,
    pub output: ExpectedOutput,
}

/// Understands a call.
pub(crate) fn prepare(
    line: &CallLine,
    defined: &Definitions,
    handles: &Handles,
) -> Result<Prepared, Missing> {
    Arguments { line, defined, handles }.prepare()
}

/// What differs between what a call returned and what is expected; nothing when all is well.
pub(crate) fn difference(
    line: &CallLine,
    defined: &Definitions,
    expected: &ExpectedOutput,
    outcome: &Outcome,
) -> Option<(String, String)> {
    let found = match outcome.errno {
        Some(errno) => format!("{} returns -1 {}", line.name, errno_name(errno)),
        None => format!("{} returns {}", line.name, outcome.result),
    };
    let Some(result) = &line.result else { return None };
    let gives_descriptor = matches!(line.name.as_str(), "socket" | "accept" | "accept4")
        || line.name.starts_with("epoll_create");
    let number = result.number(defined);
    let as_written = match (number, &line.errno) {
        (Some(-1), Some(name)) => outcome.errno.is_some() && outcome.errno == crate::symbols::errno(name),
        (Some(number), _) if number >= 0 && gives_descriptor => outcome.result >= 0,
        (number, _) => number == Some(outcome.result),
    };
    if !as_written {
        let errno = line.errno.as_ref().map_or(String::new(), |name| format!(" {name}"));
        return Some((format!("{} returns {result}{errno}", line.name), found));
    }
    match expected {
        ExpectedOutput::Exactly(output) if outcome.errno.is_none() && *output != outcome.output => {
            Some((format!("{} writes {output}", line.name), outcome.output.to_string()))
        }
        _ => None,
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("nothing"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Linger(on, seconds) => write!(f, "{{onoff={on}, linger={seconds}}}"),
            Self::Events(events) => {
                let each: Vec<_> = events.iter().map(|events| format!("{events:#x}")).collect();
                write!(f, "events {}", each.join(", "))
            }
        }
    }
}

struct Arguments<'a> {
    line: &'a CallLine,
    defined: &'a Definitions,
    handles: &'a Handles,
}

impl Arguments<'_> {
    fn prepare(&self) -> Result<Prepared, Missing> {
        let mut output = ExpectedOutput::Any;
        let call = match self.line.name.as_str() {
            "socket" => self.socket()?,
            "bind" => Call::Bind(self.handle(0)),
            "listen" => Call::Listen(self.handle(0), self.number(1)? as i32),
            "accept" => Call::Accept { socket: self.handle(0), nonblocking: false },
            "accept4" => Call::Accept {
                socket: self.handle(0),
                nonblocking: self.number(3)? & i64::from(libc::SOCK_NONBLOCK) != 0,
            },
            "connect" => Call::Connect(self.handle(0)),
            "read" => Call::Read(self.transfer(vec![self.length(2)?], None)?),
            "recv" | "recvfrom" => Call::Read(self.transfer(vec![self.length(2)?], Some(3))?),
            "write" => Call::Write(self.transfer(vec![self.length(2)?], None)?),
            "send" => Call::Write(self.transfer(vec![self.length(2)?], Some(3))?),
            "sendto" => self.send_to()?,
            "readv" => Call::Read(self.transfer(self.vector(self.argument(1)?)?, None)?),
            "writev" => Call::Write(self.transfer(self.vector(self.argument(1)?)?, None)?),
            "recvmsg" => Call::Read(self.message()?),
            "sendmsg" => Call::Write(self.message()?),
            "setsockopt" => Call::SetOption(self.option()?, self.option_value()?),
            "getsockopt" => {
                let (shape, expected) = self.option_shape()?;
                output = expected;
                Call::GetOption(self.option()?, shape)
            }
            "fcntl" => self.fcntl()?,
            "ioctl" => {
                output = self.integer_output(2);
                Call::Ioctl(self.handle(0), self.number(1)?)
            }
            "shutdown" => Call::Shutdown(self.handle(0), self.number(1)? as i32),
            "close" => Call::Close(self.handle(0)),
            "poll" => {
                let (call, expected) = self.poll()?;
                output = expected;
                call
            }
            "epoll_create" | "epoll_create1" => Call::EpollCreate,
            "epoll_ctl" => Call::EpollControl {
                epoll: self.handle(0),
                operation: self.number(1)? as i32,
                socket: self.handle(2),
                events: self.argument(3)?.field("events").map_or(Ok(0), |events| self.value(events))?,
            },
            "epoll_wait" => {
                output = self.ready()?;
                Call::EpollWait {
                    epoll: self.handle(0),
                    most: self.number(2)? as i32,
                    timeout_ms: self.number(3)? as i32,
                }
            }
            other => return Err(Missing(format!("the system call {other}"))),
        };
        Ok(Prepared { call, output })
    }

    // ---- single arguments ----------------------------------------------------------------------------------

    fn argument(&self, at: usize) -> Result<&Expression, Missing> {
        self.line
            .arguments
            .get(at)
            .ok_or_else(|| Missing(format!("argument {} of {}", at + 1, self.line.name)))
    }

    fn value(&self, expression: &Expression) -> Result<i64, Missing> {
        expression.number(self.defined).ok_or_else(|| {
            let what = expression.unknown_name(self.defined).map_or(expression.to_string(), str::to_owned);
            Missing(format!("to know what {what} is"))
        })
    }

    fn number(&self, at: usize) -> Result<i64, Missing> {
        self.value(self.argument(at)?)
    }

    /// A number of bytes, which is the result's where it is left open.
    fn length(&self, at: usize) -> Result<u64, Missing> {
        match (self.argument(at)?, &self.line.result) {
            (Expression::Any, Some(result)) => Ok(self.value(result)?.max(0) as u64),
            (length, _) => Ok(self.value(length)?.max(0) as u64),
        }
    }

    /// The descriptor that an argument names; none where it is not open.
    fn handle(&self, at: usize) -> Handle {
        let number = self.line.arguments.get(at).and_then(|argument| argument.number(self.defined));
        number.and_then(|number| self.handles.get(&number)).copied().unwrap_or(Handle::NONE)
    }

    fn handle_of(&self, record: &Expression) -> Handle {
        let number = record.field("fd").and_then(|fd| fd.number(self.defined));
        number.and_then(|number| self.handles.get(&number)).copied().unwrap_or(Handle::NONE)
    }

    fn integer_output(&self, at: usize) -> ExpectedOutput {
        let number = self.line.arguments.get(at).and_then(|argument| argument.number(self.defined));
        number.map_or(ExpectedOutput::Any, |number| ExpectedOutput::Exactly(Output::Integer(number)))
    }

    // ---- calls ---------------------------------------------------------------------------------------------

    fn socket(&self) -> Result<Call, Missing> {
        let domain = self.argument(0)?;
        if *domain != Expression::Any && self.value(domain)? != i64::from(libc::AF_INET) {
            return Err(Missing(format!("sockets of {domain}")));
        }
        let kind = self.number(1)?;
        if kind & 0xf != i64::from(libc::SOCK_STREAM) {
            return Err(Missing(format!("sockets of {}", self.argument(1)?)));
        }
        let protocol = self.argument(2)?;
        if !matches!(self.value(protocol)?, 0 | 6) {
            return Err(Missing(format!("sockets of {protocol}")));
        }
        Ok(Call::Socket { nonblocking: kind & i64::from(libc::SOCK_NONBLOCK) != 0 })
    }

    fn transfer(&self, lengths: Vec<u64>, flags: Option<usize>) -> Result<Transfer, Missing> {
        let flags = flags.map_or(Ok(0), |at| self.number(at))? as i32;
        if lengths.iter().fold(0, |all: u64, length| all.saturating_add(*length)) > LARGEST_TRANSFER {
            return Err(Missing(format!("buffers of more than {LARGEST_TRANSFER} bytes")));
        }
        Ok(Transfer { socket: self.handle(0), lengths, flags })
    }

    fn send_to(&self) -> Result<Call, Missing> {
        let transfer = self.transfer(vec![self.length(2)?], Some(3))?;
        let opens = transfer.flags & libc::MSG_FASTOPEN != 0;
        Ok(if opens { Call::SendTo(transfer) } else { Call::Write(transfer) })
    }

    /// Lengths in `[{..., 500}, {..., 500}]`.
    fn vector(&self, list: &Expression) -> Result<Vec<u64>, Missing> {
        let Expression::List(items) = list else { return Err(Missing(format!("buffers such as {list}"))) };
        let length = |item: &Expression| match item {
            Expression::Record(parts) => match parts.last() {
                Some(Expression::Field(_, value)) => self.value(value),
                Some(value) => self.value(value),
                None => Ok(0),
            },
            other => Err(Missing(format!("buffers such as {other}"))),
        };
        items.iter().map(|item| Ok(length(item)?.max(0) as u64)).collect()
    }

    fn message(&self) -> Result<Transfer, Missing> {
        let message = self.argument(1)?;
        let control = message.field("msg_control");
        if control.is_some_and(|control| *control != Expression::List(Vec::new())) {
            return Err(Missing("control messages".to_owned()));
        }
        let buffers =
            message.field("msg_iov").ok_or_else(|| Missing("messages without buffers".to_owned()))?;
        self.transfer(self.vector(buffers)?, Some(2))
    }

    fn option(&self) -> Result<SocketOption, Missing> {
        Ok(SocketOption { socket: self.handle(0), level: self.number(1)?, name: self.number(2)? })
    }

    fn option_value(&self) -> Result<OptionValue, Missing> {
        let value = self.argument(3)?;
        let of = |name: &str| value.field(name).map(|field| self.value(field)).transpose();
        match value {
            Expression::Text(text) => Ok(OptionValue::Text(text.clone())),
            Expression::List(items) if matches!(items.as_slice(), [Expression::Text(_)]) => {
                let Expression::Text(text) = &items[0] else { unreachable!("it is a text") };
                Ok(OptionValue::Text(text.clone()))
            }
            Expression::Record(fields) => {
                let linger = (of("onoff")?.or(of("l_onoff")?), of("linger")?.or(of("l_linger")?));
                match (linger, of("tv_sec")?, fields.as_slice()) {
                    ((Some(on), Some(seconds)), ..) => Ok(OptionValue::Linger(on, seconds)),
                    (_, Some(seconds), _) => Ok(OptionValue::Time(seconds, of("tv_usec")?.unwrap_or(0))),
                    (.., [on, seconds]) if self.number(2)? == i64::from(libc::SO_LINGER) => {
                        Ok(OptionValue::Linger(self.value(on)?, self.value(seconds)?))
                    }
                    _ => Err(Missing(format!("options such as {value}"))),
                }
            }
            value => Ok(OptionValue::Integer(self.value(value)?)),
        }
    }

    fn option_shape(&self) -> Result<(OptionShape, ExpectedOutput), Missing> {
        let value = self.argument(3)?;
        let (level, name) = (self.number(1)?, self.number(2)?);
        if level == i64::from(libc::SOL_SOCKET) && name == i64::from(libc::SO_LINGER) {
            return Ok((
                OptionShape::Linger,
                match self.option_value() {
                    Ok(OptionValue::Linger(on, seconds)) => {
                        ExpectedOutput::Exactly(Output::Linger(on, seconds))
                    }
                    _ => ExpectedOutput::Any,
                },
            ));
        }
        if level == i64::from(libc::SOL_TCP) && name == i64::from(libc::TCP_CONGESTION) {
            let expected = match self.option_value() {
                Ok(OptionValue::Text(text)) => ExpectedOutput::Exactly(Output::Text(text)),
                _ => ExpectedOutput::Any,
            };
            return Ok((OptionShape::Text, expected));
        }
        match value {
            Expression::Any => Ok((OptionShape::Integer, ExpectedOutput::Any)),
            Expression::Record(_) | Expression::Text(_) => Err(Missing(format!("options such as {value}"))),
            Expression::List(items) if matches!(items.as_slice(), [Expression::Any]) => {
                Ok((OptionShape::Integer, ExpectedOutput::Any))
            }
            value => {
                let expected = ExpectedOutput::Exactly(Output::Integer(self.value(value)?));
                Ok((OptionShape::Integer, expected))
            }
        }
    }

    fn fcntl(&self) -> Result<Call, Missing> {
        match self.number(1)? {
            command if command == i64::from(libc::F_GETFL) => Ok(Call::GetFlags(self.handle(0))),
            command if command == i64::from(libc::F_SETFL) => {
                Ok(Call::SetFlags(self.handle(0), self.number(2)? as i32))
            }
            _ => Err(Missing(format!("fcntl with {}", self.argument(1)?))),
        }
    }

    fn poll(&self) -> Result<(Call, ExpectedOutput), Missing> {
        let list = self.argument(0)?;
        let Expression::List(items) = list else {
            return Err(Missing(format!("descriptors such as {list}")));
        };
        let of = |item: &Expression, name: &str| item.field(name).map_or(Ok(0), |events| self.value(events));
        let entries = items.iter().map(|item| Ok((self.handle_of(item), of(item, "events")? as i16)));
        let revents = items.iter().map(|item| of(item, "revents")).collect::<Result<_, _>>()?;
        let call =
            Call::Poll { entries: entries.collect::<Result<_, _>>()?, timeout_ms: self.number(2)? as i32 };
        Ok((call, ExpectedOutput::Exactly(Output::Events(revents))))
    }

    /// The events that `epoll_wait` is expected to give: as many as it returns.
    fn ready(&self) -> Result<ExpectedOutput, Missing> {
        let count = self.line.result.as_ref().and_then(|result| result.number(self.defined)).unwrap_or(0);
        let written = self.argument(1)?;
        let records = match written {
            Expression::List(items) => items.as_slice(),
            Expression::Any => return Ok(ExpectedOutput::Any),
            _ => std::slice::from_ref(written),
        };
        let records = records.iter().take(count.max(0) as usize);
        let events = records.map(|record| record.field("events").map_or(Ok(0), |events| self.value(events)));
        Ok(ExpectedOutput::Exactly(Output::Events(events.collect::<Result<_, _>>()?)))
    }
}
