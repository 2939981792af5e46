//! Ending a direction of a connection, or all of it.

use super::Simulated;
use super::socket::Kind;
use super::sockets::{Attempt, done, error};
use crate::outcome::{Handle, Missing, Outcome};

impl Simulated<'_> {
    /// `inet_shutdown`.
    pub(super) fn shutdown(&mut self, socket: Handle, how: i32) -> Attempt {
        let (reads, writes) = match how {
            libc::SHUT_RD => (true, false),
            libc::SHUT_WR => (false, true),
            libc::SHUT_RDWR => (true, true),
            _ => return error(libc::EINVAL),
        };
        let connected = match self.connected(socket) {
            Ok(connected) => connected,
            Err(errno) => return error(errno),
        };
        if connected.connection.is_closed() {
            return error(libc::ENOTCONN);
        }
        if reads {
            connected.connection.shutdown_reading();
        }
        if writes {
            connected.connection.shutdown();
        }
        if let Some(found) = self.sockets.get_mut(&socket) {
            found.no_reads |= reads;
        }
        done(Outcome::of(0))
    }

    /// `tcp_close`, `inet_csk_listen_stop`.
    pub(super) fn close(&mut self, socket: Handle) -> Attempt {
        let Some(found) = self.sockets.remove(&socket) else { return error(libc::EBADF) };
        match found.kind {
            Kind::Connection(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    match found.options.linger {
                        Some(0) => connected.connection.abort(),
                        Some(_) => return Err(Missing("a close that lingers".to_owned())),
                        None => connected.connection.close(self.now),
                    }
                }
            }
            Kind::Listening { ready, .. } => {
                self.endpoint.close_listener(self.settings.bind_port);
                for (id, connected) in &mut self.connections {
                    if ready.contains(id) {
                        connected.connection.abort();
                    } else if connected.listener == Some(socket) && connected.is_opening() {
                        self.endpoint.forget(&connected.connection);
                    }
                }
                self.connections
                    .retain(|_, connected| connected.listener != Some(socket) || !connected.is_opening());
            }
            Kind::Pipe { pipe, end } => self.close_pipe(pipe, end),
            _ => {}
        }
        done(Outcome::of(0))
    }
}
