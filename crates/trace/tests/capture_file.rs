//! Captures as files: where they are written, and what is there afterwards.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use bentpipe_trace::pcapng::Interface;
use bentpipe_trace::{CaptureFile, WallClock};
use bentpipe_units::Time;

const START: WallClock = WallClock::from_unix_nanos(0);
const SECRET: &str = "CLIENT_RANDOM 0 1";

/// An empty folder.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("capture-file").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_capture_in_no_folder_names_its_place() {
    let path = folder("missing").join("nowhere").join("packets.pcapng");
    let error = CaptureFile::create(path.clone(), START).err().unwrap().to_string();
    assert!(
        error.starts_with(&format!("cannot write the capture {}: No such file", path.display())),
        "{error}"
    );
}

#[test]
fn a_finished_capture_has_its_packets_and_its_secrets_and_nothing_beside_it() {
    for secrets in [Vec::new(), vec![SECRET.to_owned()]] {
        let folder = folder("whole");
        let path = folder.join("packets.pcapng");
        let mut capture = CaptureFile::create(path.clone(), START).unwrap();
        capture.packet(Interface::Client, Time::ZERO, &[0x45; 99]).unwrap();
        capture.finish(&secrets).unwrap();
        let written = fs::read(path).unwrap();
        let has = |wanted: &[u8]| written.windows(wanted.len()).any(|bytes| bytes == wanted);
        assert!(has(&[0x45; 99]));
        assert_eq!(has(SECRET.as_bytes()), !secrets.is_empty());
        // The Enhanced Packet Block ends in its length: 32 bytes around the packet, which is padded to four
        // (pcapng, section 4.3).
        assert_eq!(written.last_chunk(), Some(&(32 + 100_u32).to_le_bytes()));
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}

#[test]
fn secrets_that_cannot_be_added_leave_the_capture_as_it_was_and_nothing_beside_it() {
    let folder = folder("cut-off");
    let path = folder.join("packets.pcapng");
    let mut capture = CaptureFile::create(path.clone(), START).unwrap();
    capture.packet(Interface::Client, Time::ZERO, &[0x45; 99]).unwrap();
    capture.finish(&[]).unwrap();
    let cut_off = fs::read(&path).unwrap()[..100].to_vec();
    fs::write(&path, &cut_off).unwrap();
    assert!(bentpipe_trace::pcapng::add_secrets(&path, &[SECRET]).is_err());
    assert_eq!(fs::read(&path).unwrap(), cut_off);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

#[test]
fn symbolic_links_in_the_places_of_the_files_are_replaced_and_not_followed() {
    let folder = folder("links");
    let victim = folder.join("victim");
    fs::write(&victim, "somebody's").unwrap();
    let places = ["packets.pcapng", "packets.part"].map(|name| folder.join(name));
    for place in &places {
        symlink(&victim, place).unwrap();
    }
    let [path, part] = places;
    CaptureFile::create(path.clone(), START).unwrap().finish(&[SECRET.to_owned()]).unwrap();
    assert_eq!(fs::read_to_string(victim).unwrap(), "somebody's");
    assert!(fs::symlink_metadata(path).unwrap().is_file() && fs::symlink_metadata(part).is_err());
}

#[test]
fn a_capture_of_before_is_replaced() {
    let path = folder("again").join("packets.pcapng");
    fs::write(&path, [7; 10_000]).unwrap();
    CaptureFile::create(path.clone(), START).unwrap().finish(&[]).unwrap();
    assert!(fs::read(path).unwrap().len() < 1_000);
}
