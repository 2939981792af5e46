//! A program of the kernel compiled for user space, and the same events given to its twin in Rust.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Events for the C program, and what the Rust of `bentpipe-cc` makes of them.
#[derive(Default)]
pub struct Script {
    events: String,
    expected: Vec<(u64, String)>,
}

impl Script {
    /// Parameters, to which the program answers nothing.
    pub fn parameters(&mut self, line: &str) {
        self.events += line;
        self.events.push('\n');
    }

    /// An event of a sequence and the state after it.
    pub fn event(&mut self, sequence: u64, line: &str, state: String) {
        self.parameters(line);
        self.expected.push((sequence, state));
    }

    /// Feeds the events to `tests/host/{name}.c` and compares.
    pub fn check(&self, name: &str) {
        let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.events"));
        fs::write(&input, &self.events).unwrap();
        let output = Command::new(compile(name)).stdin(File::open(&input).unwrap()).output().unwrap();
        assert!(
            output.status.success(),
            "{name}: {} (a trap: overflow of a signed number or a shift)",
            output.status
        );
        let answers = String::from_utf8(output.stdout).unwrap();
        let mut answered = 0;
        let events = self.events.lines().filter(|event| !event.starts_with('P'));
        for ((event, (sequence, expected)), answer) in events.zip(&self.expected).zip(answers.lines()) {
            assert_eq!(answer, expected, "{name}, sequence {sequence}, answer {answered}, after {event}");
            answered += 1;
        }
        assert_eq!(answered, self.expected.len());
        println!("{name}: {answered} steps agree");
    }
}

fn compile(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let sanitized = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"];
    let output = Command::new("cc")
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(sanitized)
        .args(["-Ic", "-o"])
        .arg(&program)
        .arg(format!("tests/host/{name}.c"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}
