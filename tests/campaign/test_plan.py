import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

from bentpipe.campaign.plan import one_of_each_cell, plan, run_id
from bentpipe.scenario import canonical_json, identity, load, resolve_document
from tests.campaign.conftest import a_scenario


def http_of(runs):
    return [run.cell.factors["http"] for run in runs]


def test_every_cell_is_measured_once_before_any_is_measured_again():
    runs = plan(a_scenario(http=("h1", "h2", "h3"), repetitions=3))
    rounds = [http_of(runs)[start : start + 3] for start in (0, 3, 6)]
    assert [sorted(one) for one in rounds] == [["h1", "h2", "h3"]] * 3


def test_each_round_starts_at_another_cell():
    runs = plan(a_scenario(http=("h1", "h2", "h3"), repetitions=3))
    assert http_of(runs)[::3] == ["h1", "h2", "h3"]


def test_no_cell_stands_beside_itself_so_that_nothing_is_blocked():
    names = http_of(plan(a_scenario(http=("h1", "h2", "h3", "h1s"), repetitions=5)))
    assert all(a != b for a, b in pairwise(names))


def test_run_ids_are_16_hex_digits_and_all_differ():
    ids = [run.run_id for run in plan(a_scenario(repetitions=4))]
    assert len(set(ids)) == 12
    assert all(len(one) == 16 and int(one, 16) >= 0 for one in ids)


def test_the_plan_of_equal_scenarios_is_the_same():
    assert plan(a_scenario()) == plan(a_scenario())


def test_more_repetitions_keep_the_ids_of_the_runs_that_were_there():
    few = {run.run_id for run in plan(a_scenario(repetitions=2))}
    many = {run.run_id for run in plan(a_scenario(repetitions=5))}
    assert few < many


def test_another_cell_in_the_matrix_keeps_the_ids_of_the_others():
    few = {run.run_id for run in plan(a_scenario(http=("h1",)))}
    many = {run.run_id for run in plan(a_scenario(http=("h2", "h1")))}
    assert few < many


def test_no_two_runs_share_their_random_numbers():
    seeds = [run.spec.seed for run in plan(a_scenario(repetitions=10))]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def over_epochs(*, seed=1):
    document = {
        "repetitions": 4,
        "seed": seed,
        "run": {"http": "h3", "page": "single-100k"},
        "matrix": {"link": ["leo-starlink", "leo-oneweb", "lan"], "cc": ["cubic", "bbr"]},
    }
    return plan(resolve_document(document, file="scenario.toml", folder=Path(), default_name="example"))


def test_cells_whose_path_is_drawn_meet_the_same_path_in_each_repetition():
    runs = [run for run in over_epochs() if run.cell.factors["link"] != "lan"]
    seeds = {(run.repetition, run.seed) for run in runs}
    assert len(seeds) == len({seed for _, seed in seeds}) == 4
    assert len({run.run_id for run in runs}) == len(runs) == 16


def test_the_paths_of_another_campaign_are_others():
    first, second = ({run.seed for run in over_epochs(seed=seed)} for seed in (1, 2))
    assert first.isdisjoint(second)


def test_cells_of_a_link_that_stands_still_share_no_seed_with_others():
    runs = [run for run in over_epochs() if run.cell.factors["link"] == "lan"]
    drawn = {run.seed for run in over_epochs()} - {run.seed for run in runs}
    assert (len({run.seed for run in runs}), len(drawn)) == (8, 4)


def test_the_run_id_depends_on_the_seed_but_not_on_the_order_of_keys():
    spec = plan(a_scenario())[0].spec.model_dump(mode="json", exclude_unset=True)
    assert run_id(dict(reversed(spec.items()))) == run_id(spec)
    assert run_id({**spec, "seed": 0}) != run_id(spec)


def seed_by_its_definition(scenario, run):
    """The seed as the first version made it: the hash of the campaign's seed, the repetition and the cell."""
    text = canonical_json([scenario.seed, run.repetition, identity(run.cell.spec)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()) >> (256 - 53)


@pytest.mark.parametrize("name", ["ping-baseline", "bod", "fairness", "browsers"])
def test_what_runs_share_is_hashed_once_and_changes_no_id_and_no_seed(name):
    scenario = load(Path(f"scenarios/{name}.toml"))
    runs = plan(scenario)
    assert [run.seed for run in runs] == [seed_by_its_definition(scenario, run) for run in runs]
    assert [run.run_id for run in runs] == [run_id({**run.cell.spec, "seed": run.seed}) for run in runs]


def test_one_run_of_each_cell_tells_what_all_runs_ask_for():
    runs = plan(a_scenario(http=("h1", "h2", "h3"), repetitions=4))
    assert http_of(one_of_each_cell(runs)) == ["h1", "h2", "h3"]


def runs_of_a_folder(place, *, name="www", image=b"image"):
    """Plan the runs of a scenario that lies beside the folder of its page."""
    folder = place / name
    folder.mkdir(parents=True)
    (folder / "index.html").write_text('<img src="a.png">')
    (folder / "a.png").write_bytes(image)
    document = {"repetitions": 2, "run": {"link": "lan", "http": "h2", "page": f"dir:{name}"}}
    return plan(resolve_document(document, file="scenario.toml", folder=place, default_name="example"))


def test_runs_of_files_do_not_depend_on_where_these_lie(tmp_path):
    here, there = (runs_of_a_folder(tmp_path / place) for place in ("here", "there"))
    assert [run.run_id for run in here] == [run.run_id for run in there]
    assert [run.spec.seed for run in here] == [run.spec.seed for run in there]
    folders = {run.spec.workload.page.document.folder for run in (*here, *there)}
    assert folders == {str(tmp_path / "here" / "www"), str(tmp_path / "there" / "www")}


def test_runs_of_files_depend_on_what_these_hold_and_on_the_name_of_the_page(tmp_path):
    same = {run.run_id for run in runs_of_a_folder(tmp_path / "same")}
    changed = {run.run_id for run in runs_of_a_folder(tmp_path / "changed", image=b"IMAGE")}
    renamed = {run.run_id for run in runs_of_a_folder(tmp_path / "renamed", name="web")}
    assert len(same | changed | renamed) == 6
