//! Commands for the shell, as far as they set what TCP has.
//!
//! Nothing is run here: `sysctl`, `ip route` and scripts of them are read.

use bentpipe_units::{Duration, Switch};

use crate::files::ReadFile;

/// No script sleeps longer, in seconds.
const LONGEST_SLEEP_S: f64 = 1e6;
/// How deep shell scripts may run each other.
const DEPTH: u32 = 4;
/// Queueing disciplines that delay nothing.
const PLAIN_QUEUES: [&str; 4] = ["pfifo", "pfifo_fast", "bfifo", "noqueue"];

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Sets a sysctl, whose path has points.
    Sysctl {
        /// Such as `net.ipv4.tcp_sack`.
        path: String,
        /// What it is set to.
        value: String,
    },
    /// Sets an attribute of the route to the peer.
    Route {
        /// Such as `initcwnd`.
        attribute: String,
        /// What it is set to.
        value: String,
    },
    /// Forgets what was learnt of peers, such as their cookies.
    ForgetPeers,
    /// Paces what leaves (`tc-fq(8)`), or no more.
    Pacing(Switch),
    /// Looks at the kernel's counters (`nstat(8)`).
    Counters {
        /// At what of them.
        look: Look,
        /// Whether they go on counting, and do not begin anew.
        go_on: bool,
    },
    /// Lets time pass.
    Sleep(Duration),
    /// Something else: what it is.
    Other(String),
}

/// What is looked at of the kernel's counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing.
    Away,
    /// Whether a counter has moved, whose name has this in it.
    Moved {
        /// Such as `TcpExtTCPTimeouts`.
        name: String,
        /// By how much; none for any.
        times: Option<u64>,
    },
}

/// What a command for the shell does, in order; what makes no difference is left out.
pub fn effects(text: &str, read_file: &ReadFile<'_>) -> Vec<Effect> {
    let mut reader = Reader { read_file, effects: Vec::new(), depth: 0 };
    reader.text(text);
    reader.effects
}

struct Reader<'a> {
    read_file: &'a ReadFile<'a>,
    effects: Vec<Effect>,
    depth: u32,
}

impl Reader<'_> {
    fn text(&mut self, text: &str) {
        let joined = text.replace("\\\n", " ");
        let lines = joined.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines
            .flat_map(|line| line.split("&&").flat_map(|part| part.split(';')))
            .for_each(|line| self.line(line));
    }

    fn line(&mut self, line: &str) {
        let words = words(&with_products(line));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] | ["true" | ":", ..] => {}
            ["ip", "tcp_metrics", "flush", ..] => self.effects.push(Effect::ForgetPeers),
            // Segments that leave at once are joined as the script expects them, whoever cuts them.
            ["ethtool", "-K", _, features @ ..] if features.chunks(2).all(is_segmentation) => {}
            ["sysctl", rest @ ..] => self.sysctls(rest),
            ["echo", value, ">", path] => self.sysctl(path, value),
            [
                "ip",
                "route" | "ro" | "r",
                "add" | "change" | "chg" | "replace" | "rep",
                _,
                attributes @ ..,
            ] => {
                self.route(attributes);
            }
            ["sleep", seconds] => match seconds.parse::<f64>() {
                Ok(seconds) if (0.0..LONGEST_SLEEP_S).contains(&seconds) => {
                    self.effects.push(Effect::Sleep(Duration::from_secs_f64(seconds)));
                }
                _ => self.other(format!("the command `{}`", line.trim())),
            },
            ["nstat", rest @ ..] => match look(rest) {
                Some(look) => {
                    let go_on = rest.iter().take_while(|word| **word != "|").any(|word| *word == "-s");
                    self.effects.push(Effect::Counters { look, go_on });
                }
                None => self.other(format!("the command `{}`", line.trim())),
            },
            ["ip", "link", "set", "dev", _, "mtu", value] => self.route(&["mtu", value]),
            ["tc", "qdisc", "add" | "replace", "dev", _, "root", rest @ ..]
                if rest.iter().any(|word| PLAIN_QUEUES.contains(word))
                    && !rest.ends_with(&["limit", "0"]) =>
            {
                self.effects.push(Effect::Pacing(Switch::Off));
            }
            ["tc", "qdisc", "add" | "replace", "dev", _, "root", "fq"] => {
                self.effects.push(Effect::Pacing(Switch::On));
            }
            ["tc", "qdisc", "delete" | "del", "dev", _, "root"] => {
                self.effects.push(Effect::Pacing(Switch::Off));
            }
            [name, ..] if name.starts_with("/tmp/sysctl_restore_") => {}
            [name, rest @ ..] if name.ends_with("set_sysctls.py") => self.sysctls(rest),
            ["." | "source" | "sh" | "bash", name] | [name] if name.ends_with(".sh") => self.script(name),
            _ => self.other(format!("the command `{}`", line.trim())),
        }
    }

    fn other(&mut self, what: String) {
        self.effects.push(Effect::Other(what));
    }

    fn script(&mut self, name: &str) {
        match (self.read_file)(name).filter(|_| self.depth < DEPTH) {
            Some(text) => {
                self.depth += 1;
                self.text(&text);
                self.depth -= 1;
            }
            None => self.other(format!("the file {name}")),
        }
    }

    fn sysctls(&mut self, words: &[&str]) {
        for word in
            words.iter().filter(|word| !word.starts_with('-')).take_while(|word| !word.starts_with('>'))
        {
            match word.split_once('=') {
                Some((name, value)) => self.sysctl(name, value),
                None => self.other(format!("the sysctl {word}")),
            }
        }
    }

    fn sysctl(&mut self, path: &str, value: &str) {
        let path = path.trim_start_matches("/proc/sys/").replace('/', ".");
        self.effects.push(Effect::Sysctl { path, value: value.trim().to_owned() });
    }

    fn route(&mut self, attributes: &[&str]) {
        for pair in attributes.chunks(2) {
            match pair {
                [attribute, value] => {
                    let (attribute, value) = ((*attribute).to_owned(), (*value).to_owned());
                    self.effects.push(Effect::Route { attribute, value });
                }
                rest => self.other(format!("the route's {}", rest.join(" "))),
            }
        }
    }
}

/// What `nstat` with such words looks at; the number of times is a column of what it prints.
fn look(words: &[&str]) -> Option<Look> {
    let mut stages = words.split(|word| *word == "|");
    if stages.next()?.iter().any(|flag| !["-n", "-r", "-s", "-z"].contains(flag)) {
        return None;
    }
    let greps: Option<Vec<&str>> = stages.map(pattern_of).collect();
    match greps?.as_slice() {
        [] => Some(Look::Away),
        [name] => Some(Look::Moved { name: (*name).to_owned(), times: None }),
        [name, times] => {
            let times = times.trim().parse().ok()?;
            Some(Look::Moved { name: (*name).to_owned(), times: Some(times) })
        }
        _ => None,
    }
}

fn pattern_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    match words {
        ["grep", pattern] | ["grep", "-q", pattern] => Some(pattern),
        _ => None,
    }
}

/// Whether a feature of a device is how large what leaves may be.
fn is_segmentation(feature: &[&str]) -> bool {
    matches!(feature, ["tso" | "gso", "on" | "off"])
}

/// Words as a shell has them, without what goes elsewhere (`2>&1`).
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let to_nowhere =
        words.iter().position(|word| [">", ">/dev/null", "2>/dev/null", "2>&1"].contains(&&**word));
    let is_setting = words.first().is_some_and(|word| word == "echo");
    words.truncate(to_nowhere.filter(|_| !is_setting).unwrap_or(words.len()));
    words
}

/// `$((15*1024))` as its value.
fn with_products(line: &str) -> String {
    let mut text = line.to_owned();
    while let Some(start) = text.find("$((") {
        let Some(length) = text[start..].find("))") else { break };
        let factors = text[start + 3..start + length].split('*').map(|factor| factor.trim().parse::<u64>());
        let Ok(product) = factors.product::<Result<u64, _>>() else { break };
        text.replace_range(start..start + length + 2, &product.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Effect> {
        let files =
            |name: &str| (name == "./defaults.sh").then(|| "sysctl -q net.ipv4.tcp_sack=1".to_owned());
        effects(text, &files)
    }

    fn sysctl(path: &str, value: &str) -> Effect {
        Effect::Sysctl { path: path.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn sysctls_and_products_are_understood() {
        let text = "sysctl -q net.ipv4.tcp_rmem=\"4096 540000 $((15*1024*1024))\" > /dev/null 2>&1";
        assert_eq!(read(text), [sysctl("net.ipv4.tcp_rmem", "4096 540000 15728640")]);
        assert_eq!(read("echo 0 > /proc/sys/net/ipv4/tcp_sack"), [sysctl("net.ipv4.tcp_sack", "0")]);
    }

    #[test]
    fn a_shell_script_beside_the_script_is_read() {
        assert_eq!(read("./defaults.sh"), [sysctl("net.ipv4.tcp_sack", "1")]);
        assert_eq!(read("./other.sh"), [Effect::Other("the file ./other.sh".to_owned())]);
    }

    #[test]
    fn attributes_of_a_route_are_understood() {
        let of = |attribute: &str, value: &str| Effect::Route {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        };
        let expected = [of("dev", "tun0"), of("initcwnd", "20")];
        assert_eq!(read("ip route change default dev tun0 initcwnd 20"), expected);
        assert_eq!(read("ip ro rep 192.0.2.0/24 dev tun0 initcwnd 20"), expected);
    }

    #[test]
    fn a_sleep_is_a_time() {
        assert_eq!(read("sleep 0.5"), [Effect::Sleep(Duration::from_millis(500))]);
        assert_eq!(read("sleep -1"), [Effect::Other("the command `sleep -1`".to_owned())]);
    }

    #[test]
    fn a_queue_delays_nothing_or_paces_and_one_that_holds_nothing_is_named() {
        for (words, pacing) in
            [("replace dev tun0 root pfifo limit 100", Switch::Off), ("add dev tun0 root fq", Switch::On)]
        {
            assert_eq!(read(&format!("tc qdisc {words}")), [Effect::Pacing(pacing)]);
        }
        assert_eq!(read("tc qdisc del dev tun0 root"), [Effect::Pacing(Switch::Off)]);
        let drops_all = "tc qdisc replace dev tun0 root pfifo limit 0";
        assert_eq!(read(drops_all), [Effect::Other(format!("the command `{drops_all}`"))]);
    }

    #[test]
    fn counters_are_looked_at_by_name_and_number() {
        let of = |text: &str| match read(text).as_slice() {
            [Effect::Counters { look, go_on }] => Some((look.clone(), *go_on)),
            _ => None,
        };
        let moved = |times| Some((Look::Moved { name: "TcpExtBeyondWindow".to_owned(), times }, false));
        assert_eq!(of("nstat -n"), Some((Look::Away, false)));
        assert_eq!(of("nstat > /dev/null"), Some((Look::Away, false)));
        assert_eq!(of("nstat -s"), Some((Look::Away, true)));
        assert_eq!(of("nstat | grep TcpExtBeyondWindow > /dev/null"), moved(None));
        assert_eq!(of("nstat | grep TcpExtBeyondWindow | grep -q \" 3 \""), moved(Some(3)));
        // Not since somebody looked, but since the machine started; and what does not match.
        assert_eq!([of("nstat -a"), of("nstat | grep -v TcpExtBeyondWindow")], [None, None]);
    }

    #[test]
    fn what_is_something_else_is_named() {
        assert_eq!(read("rm -rf /"), [Effect::Other("the command `rm -rf /`".to_owned())]);
    }
}
