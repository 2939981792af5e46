//! Logs in a folder, on a full disk, on one that fails when it is waited for, and in no folder.

use std::os::unix::fs::symlink;
use std::{env, process};

use super::*;

const ID: [u8; 8] = [0xab; 8];

/// An empty folder.
fn folder(test: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("bentpipe-event-logs-{test}-{}", process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A log in place of which a device is written.
fn on_device(logs: &EventLogs, device: &str, name: &str) -> Writer {
    let file = File::options().write(true).open(device).unwrap();
    Writer(locked(&logs.state).opened(PathBuf::from(name), file))
}

fn started(logs: &EventLogs) -> Writer {
    Writer(logs.start("client", &ConnectionId::new(&ID)).unwrap())
}

#[test]
fn each_connection_has_a_file_which_is_whole_when_it_has_gone_or_the_logs_are_finished() {
    let folder = folder("whole");
    let logs = EventLogs::new(folder.clone());
    let (mut gone, mut open) = (started(&logs), started(&logs));
    gone.write_all(b"one").unwrap();
    open.write_all(b"other").unwrap();
    drop(gone);
    assert_eq!(fs::read(folder.join("client-0-abababababababab.qlog")).unwrap(), b"one");
    logs.finish().unwrap();
    assert_eq!(fs::read(folder.join("client-1-abababababababab.qlog")).unwrap(), b"other");
    fs::remove_dir_all(folder).unwrap();
}

/// `/dev/full` is a disk without space (full(4)).
#[test]
fn a_log_that_cannot_be_written_does_not_disturb_its_connection_and_is_told_at_the_end() {
    for bytes in [1, 100_000] {
        let logs = EventLogs::new(PathBuf::from("/full"));
        let mut writer = on_device(&logs, "/dev/full", "/full/client.qlog");
        for _ in 0..3 {
            writer.write_all(&vec![b'.'; bytes]).unwrap();
        }
        drop(writer);
        let reason = io::Error::from_raw_os_error(28);
        let expected = format!("cannot write the event log /full/client.qlog: {reason}");
        assert_eq!(logs.finish().unwrap_err().to_string(), expected);
    }
}

/// `/dev/null` takes whatever is written and cannot be waited for: "EINVAL fd is bound to a special file which does not
/// support synchronization" (fsync(2)).
#[test]
fn whether_a_log_is_on_the_disk_is_asked_at_the_end_also_where_its_connection_has_gone() {
    let expected =
        format!("cannot write the event log /null/client.qlog: {}", io::Error::from_raw_os_error(22));
    for has_gone in [true, false] {
        let logs = EventLogs::new(PathBuf::from("/null"));
        let mut writer = on_device(&logs, "/dev/null", "/null/client.qlog");
        writer.write_all(b"one").unwrap();
        let open = (!has_gone).then_some(writer);
        assert!(locked(&locked(&logs.state).error).is_none(), "nobody waits for the disk beside the run");
        assert_eq!(logs.finish().unwrap_err().to_string(), expected);
        drop(open);
        logs.finish().unwrap();
    }
}

#[test]
fn so_many_logs_of_connections_that_have_gone_stay_open_and_the_oldest_are_waited_for_earlier() {
    let logs = EventLogs::new(PathBuf::from("/null"));
    let open = on_device(&logs, "/dev/null", "/null/open.qlog");
    for number in 0..MOST_KEPT + 10 {
        drop(on_device(&logs, "/dev/null", &format!("/null/{number}.qlog")));
        assert!(locked(&logs.state).logs.len() <= MOST_KEPT + 2);
    }
    let error = logs.finish().unwrap_err().to_string();
    assert!(error.starts_with("cannot write the event log /null/0.qlog: "), "{error}");
    drop(open);
    assert_eq!(locked(&logs.state).logs.len(), 1);
    logs.finish().unwrap();
    assert!(locked(&logs.state).logs.is_empty());
}

#[test]
fn a_symbolic_link_in_the_place_of_a_log_is_replaced_and_not_followed() {
    let folder = folder("link");
    let (victim, place) = (folder.join("victim"), folder.join("client-0-abababababababab.qlog"));
    fs::write(&victim, "somebody's").unwrap();
    symlink(&victim, &place).unwrap();
    let logs = EventLogs::new(folder.clone());
    started(&logs).write_all(b"one").unwrap();
    assert_eq!(fs::read(victim).unwrap(), b"somebody's");
    assert_eq!(fs::read(place).unwrap(), b"one");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_log_that_cannot_be_made_is_told_at_the_end() {
    let logs = EventLogs::new(env::temp_dir().join("bentpipe-nowhere"));
    let remote = "127.0.0.1:1".parse().unwrap();
    let factory = logs.factory("origin");
    let config = factory.for_connection(Side::Server, remote, ConnectionId::new(&ID), now());
    assert!(config.is_none());
    let error = logs.finish().unwrap_err().to_string();
    assert!(error.contains("/bentpipe-nowhere/origin-0-abababababababab.qlog: No such file"), "{error}");
}

#[allow(clippy::disallowed_methods)] // the library wants an instant; which one changes nothing
fn now() -> Instant {
    Instant::now()
}
