//! A process that registers a name until it is killed, and how one sees from outside what is registered.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

/// The variable with the name that the process registers, and what it says when it has.
const HELD: &str = "BENTPIPE_HELD_NAME";

/// Such a process.
pub struct Holder(Child);

impl Holder {
    /// Starts the ignored test `test` of this program, which registers what [`held_name`] says and calls [`hold`];
    /// returns when it has.
    pub fn start(test: &str, name: &str) -> Self {
        let mut holder = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .env(HELD, name)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains(HELD)), "the holder ended");
        Self(holder)
    }

    /// With SIGKILL.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The name that this process is to register.
pub fn held_name() -> String {
    env::var(HELD).unwrap()
}

/// Says that the name is registered, and waits for the kill.
pub fn hold() -> ! {
    println!("{HELD}");
    loop {
        thread::park();
    }
}

/// Between two looks at what other processes do.
pub fn pause() {
    thread::sleep(Duration::from_millis(10));
}

/// Whether the kernel offers a congestion control of this name.
pub fn is_available(name: &str) -> bool {
    let available = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    available.split_whitespace().any(|available| available == name)
}
