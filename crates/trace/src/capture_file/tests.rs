//! A disk that is full: `/dev/full` is always so (full(4)).

use super::*;

/// ENOSPC of Linux.
const NO_SPACE: i32 = 28;

fn on_a_full_disk() -> CaptureFile {
    let full = File::options().write(true).open("/dev/full").unwrap();
    CaptureFile::with_file(PathBuf::from("/full/packets.pcapng"), full, WallClock::from_unix_nanos(0))
        .unwrap()
}

fn assert_full(error: &io::Error) {
    let reason = io::Error::from_raw_os_error(NO_SPACE);
    assert_eq!(error.to_string(), format!("cannot write the capture /full/packets.pcapng: {reason}"));
}

#[test]
fn a_capture_that_fits_its_buffer_and_not_the_disk_fails_at_its_end() {
    for key_log in [Vec::new(), vec!["CLIENT_RANDOM 0 1".to_owned()]] {
        let mut capture = on_a_full_disk();
        capture.packet(Interface::Client, Time::ZERO, &[0x45; 100]).unwrap();
        assert_full(&capture.finish(&key_log).unwrap_err());
    }
}

#[test]
fn a_capture_longer_than_its_buffer_fails_on_the_way() {
    let mut capture = on_a_full_disk();
    let error = (0..2_000).find_map(|_| capture.packet(Interface::Client, Time::ZERO, &[0x45; 1_000]).err());
    assert_full(&error.unwrap());
}
