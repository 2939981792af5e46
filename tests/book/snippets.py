"""What the documents show: files, and commands with what they print."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.tidy.project import documents
from tools.book.outputs import LEFT_OUT, PROMPT

DOCUMENTS = documents()
_FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.toml)\n")

IN_REAL_TIME = "measures in real time (tests/emulate)"
NAMESPACES = "needs network namespaces (tests/emulate/test_shell.py)"
LONG = "takes minutes or more; its scenario and its variants are planned (tests/studies/test_rigs.py)"
NOT_RUN = {
    "shell": NAMESPACES,
    "worker": "needs a scheduler (tests/campaign/cluster)",
    "serve": "serves until Ctrl-C (tests/workbench)",
    "clean": "removes what other runs of this machine use",
    "bench": IN_REAL_TIME,
}
"""Commands that are not run here, with the reason."""
ON_THE_KERNEL = ("client=", "server=nginx", "server=caddy", "server=iperf3")
SIMULATED = ("page", "bulk", "ping", "run", "reproduce")
"""Commands with an engine, which is the simulator here."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command line that a document shows, and the lines below it that it prints."""

    line: str
    printed: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """Its words, without its comment and without `bentpipe`."""
        return shlex.split(self.line, comments=True)[1:]

    @property
    def reason(self) -> str | None:
        """Why it is not run here; None for one that is."""
        name, *options = self.words
        if name in NOT_RUN:
            return NOT_RUN[name]
        if "emulate" in options or any(option.startswith(ON_THE_KERNEL) for option in options):
            return IN_REAL_TIME
        if "--cluster" in options:
            return NOT_RUN["worker"]
        if name == "reproduce" and (options[0] != "alshagri2023" or "--quick" not in options):
            return LONG
        return None

    @property
    def cheap(self) -> list[str]:
        """Its words, so that it is measured in virtual time, in its short form, where later ones find it."""
        name, *options = self.words
        words = list(self.words)
        if name in SIMULATED and "--engine" not in options:
            words += ["--engine", "simulate"]
        if name == "run" and "--quick" not in options:
            words += ["--quick"]
        if name in ("run", "reproduce") and "--out" not in options:
            words += ["--out", f"results/{Path(options[0]).stem}{_tag(options)}"]
        if name == "advise":
            words += ["--budget", "10 s"]
        return words


def _tag(options: list[str]) -> str:
    """Return the end of the name that a folder of results has by default."""
    return "".join(f"-{word}" for word in ("quick", "simulate") if word in options or f"--{word}" in options)


def tables(document: Path) -> list[str]:
    """Return each snippet of TOML."""
    return [text for language, text in _FENCE.findall(document.read_text()) if language == "toml"]


def named(document: Path) -> dict[str, str]:
    """Return the snippets of TOML that are files, by their names."""
    return {match[1]: text for text in tables(document) if (match := _FILE.match(text))}


def commands(document: Path) -> Iterator[Command]:
    """Yield the commands of a document in their order."""
    for language, text in _FENCE.findall(document.read_text()):
        if language in ("", "sh"):
            yield from _commands(text.splitlines())


def _commands(lines: list[str]) -> Iterator[Command]:
    has_prompts = any(line.startswith(PROMPT) for line in lines)
    starts = [
        number for number, line in enumerate(lines) if line.startswith(PROMPT if has_prompts else "bentpipe ")
    ]
    for start, end in pairwise([*starts, len(lines)]):
        line = lines[start].removeprefix(PROMPT)
        printed = lines[start + 1 : end] if has_prompts else []
        shown = tuple(each for each in printed if each.strip() not in ("", LEFT_OUT))
        if line.startswith("bentpipe "):
            yield Command(line=line, printed=shown)
