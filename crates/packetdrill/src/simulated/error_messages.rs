//! Reading a socket's queue of errors (`recvmsg` with `MSG_ERRQUEUE`).

use libc::{
    MSG_CTRUNC, MSG_ERRQUEUE, MSG_TRUNC, SCM_TIMESTAMPING, SOF_TIMESTAMPING_OPT_TSONLY,
    SOF_TIMESTAMPING_SOFTWARE, SOL_SOCKET,
};

use super::Simulated;
use super::error_queue::Notice;
use super::sockets::{Attempt, done, error};
use crate::call::Transfer;
use crate::outcome::{ControlData, ControlMessage, Missing, Outcome, Output};
use crate::symbols;

impl Simulated<'_> {
    /// `inet_recv_error`.
    pub(super) fn receive_error(&mut self, transfer: &Transfer, with_control: bool) -> Attempt {
        let flags = self.sockets.get(&transfer.socket).map_or(0, |socket| socket.options.timestamping);
        let (level, kind) = self.settings.ip_version.error_message();
        let of = |name: &str| symbols::value(name).expect("the name of an option of IP");
        let notice = match self.connected(transfer.socket) {
            Ok(connected) => connected.errors.pop(),
            Err(libc::ENOTCONN) => None,
            Err(errno) => return error(errno),
        };
        let Some(notice) = notice else { return error(libc::EAGAIN) };
        let is_time = matches!(notice, Notice::Stamped(..));
        let has_bytes = is_time && flags & SOF_TIMESTAMPING_OPT_TSONLY == 0;
        if has_bytes && transfer.length() > 0 {
            return Err(Missing("what was sent, beside its times".to_owned()));
        }
        let time = (is_time && flags & SOF_TIMESTAMPING_SOFTWARE != 0).then(|| ControlMessage {
            level: SOL_SOCKET.into(),
            kind: SCM_TIMESTAMPING.into(),
            data: ControlData::Other,
        });
        let data = ControlData::Error(notice.error());
        let told = ControlMessage { level: of(level), kind: of(kind), data };
        let told = if with_control { time.into_iter().chain([told]).collect() } else { Vec::new() };
        let cut = (if has_bytes { MSG_TRUNC } else { 0 }) | (if with_control { 0 } else { MSG_CTRUNC });
        done(Outcome { output: Output::Message((MSG_ERRQUEUE | cut).into(), told), ..Outcome::of(0) })
    }
}
