"""What is compared: conditions of each choice, what a user names, and what the scenario refuses."""

import pytest

from bentpipe.advise.contenders import Contenders
from bentpipe.advise.factors import FACTORS, Group
from bentpipe.advise.question import Question, check
from bentpipe.advise.space import present, space
from bentpipe.errors import InputError
from bentpipe.scenario import parse_override

SITE = [Group.SITE]
PLAIN = ("slow_start=linux", "tcp.initial_window=10", "tcp.slow_start_after_idle=true", "tls.resumption=none")
"""All that is neither protocol nor congestion control."""


def question(*, over=(), fixed=(), groups=SITE, in_use=None, links=("lan",)):
    choices = space(groups=groups, over=over, fixed=fixed)
    return Question(
        page="single-100k", links=links, present=present(in_use, fixed=choices.fixed), space=choices
    )


def settings(**parts):
    return list(question(**parts).space.settings())


def test_a_site_chooses_among_what_browsers_speak_and_all_congestion_controls():
    found = settings()
    # For h1s seven ways to send (CUBIC has two), for h2 these with and without slow start after idle, for h3
    # nine ways; each with two windows, with and without early data.
    assert len(found) == (7 + 7 * 2 + 9) * 2 * 2
    assert {setting["http"] for setting in found} == {"h1s", "h2", "h3"}
    assert {setting["cc"] for setting in found} == {"reno", "cubic", "bbr", "bbr3", "hybla", "vivace"}


def test_no_setting_is_there_twice():
    found = settings(groups=list(Group))
    assert len({tuple(sorted(map(str, setting.items()))) for setting in found}) == len(found)


@pytest.mark.parametrize(
    ("key", "value", "condition"),
    [
        ("slow_start", "loss", lambda setting: setting["cc"] == "cubic"),
        (
            "slow_start",
            "hystart++",
            lambda setting: setting["http"] == "h3" and setting["cc"] in ("reno", "cubic"),
        ),
        ("tcp.slow_start_after_idle", False, lambda setting: setting["http"] == "h2"),
        ("tcp.fast_open", True, lambda setting: setting["http"] != "h3"),
        ("connections", 12, lambda setting: setting["http"] == "h1s"),
        ("pep.kind", "split", lambda setting: setting["http"] != "h3"),
        ("pep.standing", True, lambda setting: setting.get("pep.kind") == "split"),
    ],
)
def test_a_choice_is_there_beside_those_that_it_goes_with_and_no_others(key, value, condition):
    found = settings(groups=list(Group))
    having = [setting for setting in found if setting.get(key) == value]
    assert having
    assert all(map(condition, having))


def test_choices_of_others_are_there_when_they_are_asked_for():
    assert not any("pep.kind" in setting or "connections" in setting for setting in settings())
    keys = {key for setting in settings(groups=[*SITE, Group.OPERATOR]) for key in setting}
    assert "pep.kind" in keys
    assert "connections" not in keys


def test_every_setting_of_the_usual_space_can_be_measured():
    asked = question(groups=list(Group))
    assert len(Contenders(asked).all()) == len(list(asked.space.settings()))


def test_values_of_a_user_take_the_place_of_ours_and_keep_their_conditions():
    found = settings(over=["http=h2,h3", "cc=bbr,cubic", "slow_start=hystart++,linux"])
    assert {(each["http"], each["cc"]) for each in found if each.get("slow_start")} == {("h3", "cubic")}


def test_a_key_of_a_user_is_a_factor_too():
    found = settings(over=["http=h2", "cc=bbr", "priorities=off,on"], fixed=["tls.resumption=none"])
    assert {each["priorities"] for each in found} == {"off", "on"}


def test_what_is_fixed_is_not_chosen():
    found = settings(fixed=["http=h3", "tcp.initial_window=20"])
    assert not any("http" in setting or "tcp.initial_window" in setting for setting in found)
    assert any(setting.get("slow_start") == "hystart++" for setting in found)


def test_settings_that_the_scenario_refuses_are_left_out_and_equal_ones_are_one():
    asked = question(over=["http=h1s,h3", "cc=bbr", "push=0 %,50 %"], fixed=["tls.resumption=none"])
    with pytest.raises(InputError) as refused:
        check(asked)
    assert refused.value.field == "--over push"
    # Reno has no HyStart that `loss` could leave out: it is the same run.
    alike = question(over=["http=h3", "cc=reno", "slow_start=linux,loss"], in_use="h3/reno")
    plain = {each.setting.get("slow_start", "linux") for each in Contenders(alike).all()}
    assert plain == {"linux"}


def test_the_present_setting_is_what_most_sites_have_unless_it_is_said():
    assert present(None, fixed=()) == {"http": "h2", "cc": "cubic"}
    assert present(None, fixed=[parse_override("cc=bbr")]) == {"http": "h2"}
    written = present("h1s/bbr,tcp.initial_window=32,tls.resumption=none", fixed=())
    # What stands at its default is not written.
    assert written == {"http": "h1s", "cc": "bbr", "tcp.initial_window": 32}


def test_every_factor_says_why_it_is_compared_and_has_its_default_among_its_values():
    for factor in FACTORS:
        assert factor.reason.endswith((".", ")."))
        assert factor.usual is None or factor.choices[0].value == factor.usual


@pytest.mark.parametrize(
    ("parts", "field", "expected"),
    [
        ({"over": ["foo"]}, "--over", "KEY=VALUE,VALUE"),
        ({"over": ["http="]}, "--over", "KEY=VALUE,VALUE"),
        ({"over": ["nothing=1"]}, "--over nothing", "a key that starts with one of"),
        ({"over": ["cc=foo"]}, "--over cc", "one of reno, cubic"),
        ({"over": ["cc=bbr"], "fixed": ["cc=cubic"]}, "--over cc", "nothing beside --set cc"),
        ({"in_use": "h2"}, "--present", "HTTP/CC such as h2/cubic"),
        ({"in_use": "h2/bbr", "fixed": ["cc=bbr"]}, "--present", "nothing beside --set cc"),
        ({"in_use": "h2/foo"}, "--present", "one of reno, cubic"),
        ({"fixed": ["repetitions=3"]}, "--set repetitions", "a key of [run]"),
        ({"fixed": ["http=h2", "cc=foo"]}, "--set cc", "one of reno, cubic"),
        ({"links": ["geo-nowhere"]}, "--link", "a preset"),
        ({"over": ["http=h2", "cc=cubic"], "fixed": PLAIN}, "--over", "something to choose"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_the_option_that_asks_for_it(parts, field, expected):
    with pytest.raises(InputError) as refused:
        check(question(**parts))
    assert refused.value.field == field
    assert refused.value.expected.startswith(expected)
