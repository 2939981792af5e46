"""The scenario that measures an advice again: of each link the best setting and the present one."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from bentpipe.advise.answer import Advice
from bentpipe.advise.factors import Setting
from bentpipe.advise.words import short
from bentpipe.scenario.link.pipe import PREFIX
from bentpipe.scenario.page.pages import FOLDER, HAR
from bentpipe.scenario.written.dotted import flattened

REPETITIONS = 30
"""As many as the studies have in virtual time: the interval of a mean is then a third of the spread."""


def scenario_text(advice: Advice, *, name: str, folder: Path) -> str:
    """Return the scenario as TOML that stands in `folder`; paths of pages and links start there."""
    question = advice.question
    fixed = {override.key: override.value for override in question.space.fixed}
    seed = fixed.pop("seed", None)
    page = json.dumps(_page(question.page, folder), ensure_ascii=False)
    lines = [
        "# The settings that `bentpipe advise` found best, beside the present ones.",
        "#",
        "# `bentpipe run FILE --engine simulate` repeats the runs by which they were found, and makes more;",
        "# `bentpipe run FILE --engine emulate` checks them on the real kernel.",
        f"name = {json.dumps(name)}",
        f"title = {json.dumps(f'Best and present setting for {question.page}', ensure_ascii=False)}",
        f"repetitions = {REPETITIONS}",
        *([] if seed is None else [f"seed = {seed}"]),
        "",
        "[run]",
        f"page = {page}",
    ]
    for words, setting, links in _blocks(advice):
        lines += ["", f"# {words}: {short(setting)}", "[[matrix]]"]
        lines.append(f"link = {_array(_link(link, folder) for link in links)}")
        settings = flattened({**fixed, **setting})
        lines += [f"{_key(key)} = {_array([value])}" for key, value in settings.items()]
    return "\n".join(lines) + "\n"


def _blocks(advice: Advice) -> list[tuple[str, Setting, list[str]]]:
    """Return each setting once with what it is and the links that it is measured over."""
    links = list(advice.question.links)
    blocks: list[tuple[str, Setting, list[str]]] = [("present", advice.question.present, links)]
    best = [(each.best.setting, each.link) for each in advice.links if each.best is not None]
    whole = [] if advice.whole is None else [(advice.whole.setting, link) for link in links]
    for words, named in (("best", best), ("best over all links together", whole)):
        for setting, link in named:
            block = next((each for each in blocks if dict(each[1]) == dict(setting)), None)
            if block is None:
                blocks.append((words, setting, [link]))
            elif link not in block[2]:
                block[2].append(link)
    return blocks


def _key(key: str) -> str:
    """Write a dotted key; one below the link, which is a list here, as one word."""
    return json.dumps(key) if key.startswith("link.") else key


def _array(values: Iterable[object]) -> str:
    return f"[{', '.join(_value(value) for value in values)}]"


def _value(value: object) -> str:
    """Write a value of TOML: texts, numbers, booleans and lists of them are as in JSON."""
    if isinstance(value, list):
        return _array(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + " }"
    # But for this one of the control characters, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _page(page: str, folder: Path) -> str:
    for kind in (HAR, FOLDER):
        if page.startswith(kind):
            return kind + os.path.relpath(page.removeprefix(kind), folder)
    return page


def _link(link: str, folder: Path) -> str:
    is_file = not link.startswith(PREFIX) and (link.endswith(".toml") or "/" in link)
    return os.path.relpath(link, folder) if is_file else link
