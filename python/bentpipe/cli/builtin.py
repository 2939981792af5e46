"""links, pages, studies: what is built in."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.link_path import FORMATS, path_files, write_path
from bentpipe.cli.options import example, json_option, set_option
from bentpipe.cli.output import echo, echo_text, print_columns, print_json
from bentpipe.errors import InputError
from bentpipe.output_folder import staged

if TYPE_CHECKING:
    from bentpipe.model.page import PageSpec
    from bentpipe.scenario.ablations import Ablation
    from bentpipe.scenario.links import Link
    from bentpipe.scenario.rig import Fact
    from bentpipe.scenario.written.variation import Variation
    from bentpipe.studies import Study


@click.command(epilog=example("bentpipe links geo-alshagri --set link.return.dama=cra"))
@click.argument("name", required=False)
@click.option(
    "--plot",
    "plot",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Draw the link: into NAME.svg here, or into a file of yours (.svg, .pdf or .png).",
)
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write its path over time: a schedule to this file, Mahimahi's two to this folder.",
)
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Of --export [default: schedule].")
@click.option("--duration", metavar="TIME", help="How much of the path --export writes [default: 2 min].")
@click.option("--seed", type=int, help="Of what is drawn of the path that --export writes [default: 1].")
@set_option
@json_option
def links(
    name: str | None,
    plot: str | None,
    target: Path | None,
    kind: str | None,
    duration: str | None,
    seed: int | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the built-in links, or describe one: a name, a file or an inline pipe.

    A changed one too, such as geo-alshagri --set link.return.dama=cra.
    """
    from bentpipe.scenario import parse_override
    from bentpipe.scenario.links import Link, described, presets
    from bentpipe.scenario.written.location import Location

    changes = {override.key: override.value for override in map(parse_override, settings)}
    options = {"--format": kind, "--duration": duration, "--seed": seed}
    unused = next((option for option, value in options.items() if value is not None), None)
    if target is None and unused is not None:
        expected = "--export, with which it goes"
        raise InputError(file="command line", field=unused, expected=expected, found="none")
    if name is not None:
        link = described(name, where=Location(file="command line", field="NAME"), settings=changes)
        if plot is not None:
            echo(str(_plot(link, plot)), err=as_json)
        if target is not None:
            for path in _export_path(link, target, kind=kind, duration=duration, seed=seed):
                echo(str(path), err=as_json)
        if as_json:
            print_json(_document(link))
        elif plot is None and target is None:
            _print_link(link, changes=settings)
        return
    uses = {"draw, before --plot": plot, "write, before --export": target, "change, before --set": changes}
    use = next((use for use, option in uses.items() if option not in (None, {})), None)
    if use is not None:
        raise InputError(file="command line", field="NAME", expected=f"the link to {use}", found="none")
    all_links: tuple[Link, ...] = presets()
    if as_json:
        print_json([_document(link) for link in all_links])
        return
    rows: list[tuple[str, ...]] = [("NAME", "FORWARD", "RETURN", "RTT", "")]
    rows += [_link_row(link) for link in all_links]
    print_columns(rows, indent=0)
    echo("", "Rates are those of full IP packets in clear sky; the RTT is propagation alone.")


@click.command(epilog=example("bentpipe pages news-front --export news-front"))
@click.argument("name", required=False)
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the page (or every page) as files for any server; of several hosts each has a folder.",
)
@json_option
def pages(name: str | None, folder: Path | None, as_json: bool) -> None:
    """List the built-in pages, show one, or export them.

    NAME may be a page of yours too, har:FILE or dir:FOLDER.
    """
    from bentpipe import _core
    from bentpipe.cli.page import described
    from bentpipe.model.page import PageSpec
    from bentpipe.scenario.page.pages import PAGES, SOURCES, page, source_of
    from bentpipe.scenario.page.web_page import hosts_of
    from bentpipe.scenario.written.location import Location

    where = Location(file="command line", field="NAME")
    specs = PAGES if name is None else {name: page(name, where, folder=Path())}
    chosen = {each: PageSpec.model_validate(spec) for each, spec in specs.items()}
    sources = {each: SOURCES.get(source_of(each), each) for each in chosen}
    if folder is not None:
        with staged(folder, field="--export") as staging:
            for spec in chosen.values():
                _export(spec, staging / _file_name(spec.name))
        echo(f"{len(chosen)} pages in {folder}", err=True)
    if as_json:
        print_json({"pages": [{**spec, "source": sources[each]} for each, spec in specs.items()]})
    elif name is not None:
        heading, rows = described(chosen[name])
        echo(heading)
        print_columns(rows)
        echo(f"Source: {sources[name]}")
    elif folder is None:
        table = [("NAME", "OBJECTS", "HOSTS", "TOTAL", "SOURCE")]
        for each, spec in chosen.items():
            total = _core.format_size(sum(item.bytes for item in spec.objects))
            numbers = (str(len(spec.objects)), str(len(hosts_of(spec))))
            table.append((each, *numbers, total, source_of(each)))
        print_columns(table, indent=0)
        echo()
        for source, words in SOURCES.items():
            echo(f"{source}: {words}")


@click.command(epilog=example("bentpipe studies secchi2018"))
@click.argument("name", required=False)
@json_option
def studies(name: str | None, as_json: bool) -> None:
    """List the published studies, or show one: its matrix, the facts of its rig and what is varied."""
    from bentpipe import studies as library

    if name is None:
        known = [library.get(each) for each in library.names()]
        if as_json:
            print_json([_study(study) for study in known])
        else:
            print_columns([(study.name, study.title) for study in known], indent=0)
        return
    from bentpipe.scenario import Extent, load

    study = find_study(name)
    full, quick = (load(study.scenario, extent=extent) for extent in (Extent.FULL, Extent.QUICK))
    if as_json:
        facts = [_fact(fact) for fact in study.rig.facts]
        varied_factors = [_ablation(each) for each in study.ablations.ablations]
        print_json({**_study(study), "rig": facts, "ablations": varied_factors, "scenario": full.document()})
        return
    extents = f"{len(full.cells)} cells x {full.repetitions} repetitions"
    echo(f"{study.name}: {study.title}", study.citation, "")
    echo(f"{extents} ({len(quick.cells)} x {quick.repetitions} with --quick)")
    rows = [(key, value) for key, value in full.constants().items()]
    varied = sorted({key for cell in full.cells for key in cell.factors} - set(full.constants()))
    for key in varied:
        values = dict.fromkeys(cell.factors.get(key, "-") for cell in full.cells)
        rows.append((key, ", ".join(values)))
    print_columns(rows)
    for fact in study.rig.facts:
        echo("", f"{fact.part.value}, {fact.name}: {fact.statement}", f"  {fact.source}")
        if fact.variation is not None:
            echo(f"  {_settings(fact.variation)}")
        if fact.limit:
            echo(f"  not modelled: {fact.limit}")
    for ablation in study.ablations.ablations:
        echo("", f"varied, {ablation.name}: {ablation.reason}", f"  {ablation.source}")
        echo(f"  {_settings(ablation.variation)}")


def find_study(name: str) -> "Study":
    """Return the study of that name.

    Raises
    ------
    InputError
        When there is none.
    """
    from bentpipe import studies as library
    from bentpipe.scenario.written.location import closest, quoted

    if name not in library.names():
        raise InputError(
            file="command line",
            field="STUDY",
            expected=f"one of {', '.join(library.names())}",
            found=quoted(name),
            suggestion=closest(name, library.names()),
        )
    return library.get(name)


def _document(link: "Link") -> dict[str, object]:
    return {**vars(link), "spec": link.spec.model_dump(mode="json", exclude_unset=True)}


def _study(study: "Study") -> dict[str, str]:
    keys = ("name", "title", "citation", "doi")
    return {key: getattr(study, key) for key in keys}


def _fact(fact: "Fact") -> dict[str, object]:
    return {
        "name": fact.name,
        "part": fact.part.value,
        "fact": fact.statement,
        "kind": fact.kind.value,
        "source": fact.source,
        "settings": dict(fact.variation.settings) if fact.variation else {},
        "where": dict(fact.variation.where) if fact.variation else {},
        "limit": fact.limit,
    }


def _ablation(ablation: "Ablation") -> dict[str, object]:
    return {
        "name": ablation.name,
        "reason": ablation.reason,
        "source": ablation.source,
        "settings": dict(ablation.variation.settings),
        "where": dict(ablation.variation.where),
    }


def _settings(variation: "Variation") -> str:
    """Write settings and the cells in which they hold in one line."""
    from bentpipe.scenario.factors import label

    settings = ", ".join(f"{key}={label(value)}" for key, value in variation.settings.items())
    where = ", ".join(f"{key} {' or '.join(values)}" for key, values in variation.where.items())
    return f"{settings}, where {where}" if where else settings


def _link_row(link: "Link") -> tuple[str, ...]:
    from bentpipe import _core
    from bentpipe.cli.path import duration_range
    from bentpipe.scenario.link.description import describe_link

    model = describe_link(link.spec)
    rates = [_core.format_rate(direction.nominal_bps) for direction in (model.forward, model.return_)]
    least_ns, most_ns = (
        model.forward.shortest_delay_ns + model.return_.shortest_delay_ns,
        model.forward.longest_delay_ns + model.return_.longest_delay_ns,
    )
    return (link.name, *rates, duration_range(least_ns, most_ns), link.title)


def _plot(link: "Link", file: str) -> Path:
    from bentpipe.figures import link_plot
    from bentpipe.figures.drawing import FILE_KINDS, save_as

    drawing = link_plot.draw(link)
    path = Path(file or f"{drawing.name}.svg")
    if path.suffix not in FILE_KINDS:
        kinds = " or ".join(FILE_KINDS)
        raise InputError(
            file="command line", field="--plot", expected=f"a file name that ends in {kinds}", found=str(path)
        )
    if not path.parent.is_dir():
        found = f"{path}: no such folder"
        raise InputError(file="command line", field="--plot", expected="a file to write to", found=found)
    with staged(path.parent, field="--plot") as staging:
        save_as(drawing, staging / path.name)
    return path


def _export_path(
    link: "Link", target: Path, *, kind: str | None, duration: str | None, seed: int | None
) -> list[Path]:
    from bentpipe.scenario import defaults
    from bentpipe.scenario.load import LARGEST_SEED
    from bentpipe.scenario.written.location import Location
    from bentpipe.scenario.written.quantity import count, duration_ns
    from bentpipe.scenario.written.table import or_default

    command_line = Location(file="command line")
    wanted_seed = or_default(seed, defaults.SEED)
    span = or_default(duration, defaults.EXPORTED_PATH)
    files = path_files(
        link.spec,
        seed=count(wanted_seed, command_line.at("--seed"), least=0, most=LARGEST_SEED),
        span_ns=duration_ns(span, command_line.at("--duration"), least_ns=1),
        kind=kind or "schedule",
        where=command_line.at("--export"),
    )
    return write_path(files, target, field="--export")


def _print_link(link: "Link", *, changes: Sequence[str]) -> None:
    from bentpipe.cli.link import described

    echo(f"{link.name} with {', '.join(changes)}" if changes else link.name)
    for heading, text in (("", link.title), ("Source: ", link.source)):
        if text:
            echo_text(f"{heading}{text}")
    for assumption in link.assumptions:
        echo_text(f"Assumed: {assumption}")
    echo("", *described(link.spec))


def _file_name(page: str) -> str:
    """Return the name of a page as that of a folder: a page of one's own has the path of its file in it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", page).strip(".-") or "page"


def _export(page: "PageSpec", folder: Path) -> None:
    """Write what the hosts of a page serve, each in a folder of its own where there are several."""
    from bentpipe import _core

    try:
        files = _core.site_files(page.to_json())
    except ValueError as error:
        # Of a page of the user's: a file of it has changed since it was read, for one.
        expected = "a page that can be served"
        raise InputError(file="command line", field="NAME", expected=expected, found=str(error)) from None
    is_one = len({host for host, *_ in files}) == 1
    for host, target, _, content in files:
        file = (folder if is_one else folder / host) / (target.lstrip("/") or "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
