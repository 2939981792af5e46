//! What a fuzzer calls with bytes that may be anything: `crates/fuzz`. Panics when a promise is broken.

use bentpipe_units::Duration;

use crate::{Action, Event, Files, Settings, Simulated, When, parse, run};

/// A script that takes longer, or sleeps, may probe a closed window for ever: it is read and not followed.
const LONGEST: Duration = Duration::from_secs(100);

/// A script that cannot be read is told with a line of its text (or the one after its end); one that can comes to a
/// verdict on the simulated endpoint.
pub fn script(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let lines = text.lines().count() as u32 + 1;
    match parse(&text) {
        Ok(script) => {
            assert!(script.events.iter().all(|event| (1..=lines).contains(&event.line)));
            let Ok(settings) = Settings::of(&script, &[]) else { return };
            let Ok(mut backend) = Simulated::new(&settings, Files::NONE) else { return };
            if script.events.iter().all(is_short) {
                run(&script, &settings, &mut backend, &mut |_| Ok(()));
            }
        }
        Err(error) => assert!((1..=lines).contains(&error.line), "{error}"),
    }
}

fn is_short(event: &Event) -> bool {
    let starts = !matches!(event.when, When::Between { to, .. } if to > LONGEST);
    starts
        && match &event.action {
            Action::Call(call) => call.until.is_none_or(|until| until <= LONGEST),
            Action::Shell(command) => !command.contains("sleep"),
            _ => true,
        }
}
