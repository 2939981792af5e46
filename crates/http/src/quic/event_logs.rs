//! QUIC's events as qlog files, one a connection.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Instant;

use noq::{QlogConfig, QlogFactory};
use noq_proto::{ConnectionId, Side};

/// How many logs stay open whose connections have gone: as many as a run may have flows, and some. With more of them
/// the disk is waited for beside the run.
const MOST_KEPT: usize = 128;

/// The event logs (qlog) of one end's QUIC connections, each a file in one folder. Clones are the same logs.
///
/// The QUIC library passes over what it cannot write. What goes wrong is therefore remembered here, until
/// [`finish`] is asked.
///
/// [`finish`]: Self::finish
#[derive(Clone, Debug)]
pub struct EventLogs {
    folder: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Logs started so far.
    count: usize,
    /// Those that may not be on the disk yet, the oldest first.
    logs: Vec<Arc<Mutex<Log>>>,
    /// The one that was started last, for its connection's congestion control, which the library makes next.
    latest: Weak<Mutex<Log>>,
    error: FirstError,
}

type FirstError = Arc<Mutex<Option<io::Error>>>;

impl EventLogs {
    /// Logs in a folder, which must be there when the first connection is.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, state: Arc::default() }
    }

    /// Writes out what connections have logged so far. They should have ended: what comes afterwards may be lost.
    ///
    /// It is on the disk then: a disk that is full or fails may say so only when one waits for it.
    ///
    /// # Errors
    /// The first that there was, with the file's name: a log could not be made or is not whole.
    pub fn finish(&self) -> io::Result<()> {
        let mut state = locked(&self.state);
        state.sync_down_to(0);
        for log in &state.logs {
            locked(log).sync();
        }
        let error = locked(&state.error).take();
        error.map_or(Ok(()), Err)
    }

    /// What makes a log for each connection, called `PREFIX-NUMBER-ID.qlog` by the client's first choice of the
    /// origin's connection id, which both ends know.
    pub(super) fn factory(&self, prefix: &'static str) -> Arc<dyn QlogFactory> {
        Arc::new(Factory { logs: self.clone(), prefix })
    }

    /// The log of the connection that the library is making; none where it has been taken, or could not be made.
    pub(super) fn take_latest(&self) -> Option<ConnectionLog> {
        std::mem::take(&mut locked(&self.state).latest).upgrade().map(ConnectionLog)
    }

    fn start(&self, prefix: &str, id: &ConnectionId) -> io::Result<Arc<Mutex<Log>>> {
        let mut state = locked(&self.state);
        let path = self.folder.join(format!("{prefix}-{}-{id}.qlog", state.count));
        state.count += 1;
        let file = fresh_file(&path).map_err(|error| unwritten(&path, &error))?;
        Ok(state.opened(path, file))
    }
}

impl State {
    fn opened(&mut self, path: PathBuf, file: File) -> Arc<Mutex<Log>> {
        self.sync_down_to(MOST_KEPT);
        let log = Log { path, file: BufWriter::new(file), is_cut_off: false, error: Arc::clone(&self.error) };
        let log = Arc::new(Mutex::new(log));
        self.logs.push(Arc::clone(&log));
        log
    }

    /// Closes logs whose connections have gone, once on the disk and the oldest first, until `most` of them are left.
    fn sync_down_to(&mut self, most: usize) {
        let has_gone = |log: &Arc<Mutex<Log>>| Arc::strong_count(log) == 1;
        let surplus = self.logs.iter().filter(|log| has_gone(log)).count().saturating_sub(most);
        for log in self.logs.extract_if(.., |log| has_gone(log)).take(surplus) {
            locked(&log).sync();
        }
    }
}

struct Factory {
    logs: EventLogs,
    prefix: &'static str,
}

impl QlogFactory for Factory {
    fn for_connection(&self, _: Side, _: SocketAddr, id: ConnectionId, _: Instant) -> Option<QlogConfig> {
        match self.logs.start(self.prefix, &id) {
            Ok(log) => {
                locked(&self.logs.state).latest = Arc::downgrade(&log);
                Some(QlogConfig::new(Box::new(Writer(log))))
            }
            Err(error) => {
                locked(&locked(&self.logs.state).error).get_or_insert(error);
                None
            }
        }
    }
}

/// One connection's log.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    /// Nothing is written after an error: a log with a hole would look whole.
    is_cut_off: bool,
    error: FirstError,
}

impl Log {
    /// Waits until what was written is on the disk.
    fn sync(&mut self) {
        let _ = self.flush();
        if !self.is_cut_off {
            let synced = self.file.get_ref().sync_all();
            let _ = self.noted(synced, ());
        }
    }

    fn noted<T>(&mut self, result: io::Result<T>, otherwise: T) -> io::Result<T> {
        result.or_else(|error| {
            self.is_cut_off = true;
            locked(&self.error).get_or_insert_with(|| unwritten(&self.path, &error));
            Ok(otherwise)
        })
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_cut_off {
            return Ok(bytes.len());
        }
        let written = self.file.write(bytes);
        self.noted(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_cut_off {
            return Ok(());
        }
        let flushed = self.file.flush();
        self.noted(flushed, ())
    }
}

/// A connection's log, for events that the library knows nothing of.
#[derive(Clone, Debug)]
pub(super) struct ConnectionLog(Arc<Mutex<Log>>);

impl ConnectionLog {
    /// Writes one record of a JSON text sequence (RFC 7464 section 2.2). What goes wrong is remembered with the logs.
    pub(super) fn write_record(&self, event: &serde_json::Value) {
        let _ = writeln!(locked(&self.0), "\x1e{event}");
    }
}

/// The library's end of a log, which it flushes when the connection has gone.
struct Writer(Arc<Mutex<Log>>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        locked(&self.0).flush()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Makes a file in place of what has its name. A symbolic link is removed and not followed: root may log into a folder
/// where others can write.
fn fresh_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => File::create_new(path),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write the event log {}: {error}", path.display()))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while logging")
}

#[cfg(test)]
mod tests;
