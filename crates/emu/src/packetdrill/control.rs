//! Control messages beside the bytes of a message (cmsg(3)).

use std::mem::size_of;

use bentpipe_packetdrill::{ControlData, ControlMessage};
use libc::{c_int, c_uint};

/// More than what the kernel says of one message.
pub(super) const ROOM: usize = 1024;
/// `struct sock_extended_err` (linux/errqueue.h).
const ERROR_BYTES: usize = 16;

/// What the kernel has said.
pub(super) fn read(message: &libc::msghdr) -> Vec<ControlMessage> {
    let mut found = Vec::new();
    // SAFETY: the kernel has filled in the header and what it points to.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !header.is_null() {
        // SAFETY: a header that is not null is one, and has its data behind it.
        let (level, kind, data) = unsafe {
            let length = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
            let data = std::slice::from_raw_parts(libc::CMSG_DATA(header), length);
            ((*header).cmsg_level, (*header).cmsg_type, data)
        };
        found.push(ControlMessage {
            level: level.into(),
            kind: kind.into(),
            data: data_of((level, kind), data),
        });
        // SAFETY: the header is one of the message.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    found
}

fn data_of(what: (c_int, c_int), data: &[u8]) -> ControlData {
    let long = |at: usize| {
        let number = data[at..at + 4].try_into().map(u32::from_ne_bytes);
        i64::from(number.unwrap_or(0))
    };
    let byte = |at: usize| i64::from(data[at]);
    match what {
        (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR)
            if data.len() >= ERROR_BYTES =>
        {
            ControlData::Error([long(0), byte(4), byte(5), byte(6), long(8), long(12)])
        }
        _ if data.len() == 1 => ControlData::Number(byte(0)),
        _ if data.len() == size_of::<c_int>() => ControlData::Number(long(0)),
        _ => ControlData::Other,
    }
}

/// Control messages as the kernel takes them: numbers of C.
pub(super) fn written(messages: &[ControlMessage]) -> Vec<u8> {
    let number = size_of::<c_int>() as c_uint;
    // SAFETY: they compute a length and touch no memory.
    let (whole, length) = unsafe { (libc::CMSG_SPACE(number) as usize, libc::CMSG_LEN(number) as usize) };
    let mut bytes = Vec::with_capacity(whole * messages.len());
    for message in messages {
        let data = if let ControlData::Number(number) = message.data { number as c_int } else { 0 };
        let start = bytes.len();
        bytes.extend(length.to_ne_bytes());
        bytes.extend((message.level as c_int).to_ne_bytes());
        bytes.extend((message.kind as c_int).to_ne_bytes());
        bytes.extend(data.to_ne_bytes());
        bytes.resize(start + whole, 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let messages = [(libc::SOL_IP, libc::IP_TOS, 16), (libc::SOL_IP, libc::IP_TTL, 7)].map(
            |(level, kind, number)| ControlMessage {
                level: level.into(),
                kind: kind.into(),
                data: ControlData::Number(number),
            },
        );
        let mut bytes = written(&messages);
        // SAFETY: zero is a value of each of its fields.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_control = bytes.as_mut_ptr().cast();
        message.msg_controllen = bytes.len() as _;
        assert_eq!(read(&message), messages);
    }

    #[test]
    fn errors_stand_where_linux_has_them() {
        // struct sock_extended_err: errno, origin, type, code, pad, info, data.
        let mut bytes = [0; ERROR_BYTES];
        (bytes[4], bytes[6], bytes[8], bytes[12]) = (5, 1, 2, 3);
        let found = data_of((libc::SOL_IP, libc::IP_RECVERR), &bytes);
        assert_eq!(found, ControlData::Error([0, 5, 0, 1, 2, 3]));
    }
}
