//! TLS secrets, for whoever decrypts a capture.

use std::sync::Mutex;

use rustls::KeyLog;

/// Collects TLS secrets as lines of the NSS key-log format.
#[derive(Debug, Default)]
pub struct Secrets(Mutex<Vec<String>>);

impl Secrets {
    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("no panic while logging").clone()
    }
}

impl KeyLog for Secrets {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let line = format!("{label} {} {}", hex(client_random), hex(secret));
        self.0.lock().expect("no panic while logging").push(line);
    }
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
