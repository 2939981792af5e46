"""Mutants of constants: which numbers are changed, and to what."""

from pathlib import Path

from tools.mutants.constants import MOST_NUMBERS, constants

FILE = Path("crates/any/src/any.rs")


def names(text):
    return [mutant.name for mutant in constants("any", FILE, text)]


def test_each_number_of_a_constant_is_a_tenth_more():
    text = "const SPAN: Duration = Duration::from_millis(16);\n    pub(crate) const GROWTH: f64 = 1.25;\n"
    assert names(text) == ["SPAN: 16 -> 18", "GROWTH: 1.25 -> 1.375"]


def test_a_small_number_is_one_more_and_zero_stays():
    assert names("const A: u32 = 1;\nconst B: u32 = 0;\nconst C: u64 = 0x10;") == [
        "A: 1 -> 2",
        "C: 0x10 -> 0x12",
    ]


def test_equal_changes_of_one_constant_are_told_apart():
    assert names("const A: [u8; 2] = [2, 2];") == ["A: 2 -> 3", "A: 2 -> 3 (2)"]


def test_comments_strings_and_tests_are_left_alone():
    text = 'const A: &str = "9"; // 7\nconst B: [u8; 1] = [\n    // 5\n    4,\n];\n'
    text += "#[cfg(test)]\nconst C: u8 = 3;\n"
    assert names(text) == ["B: 4 -> 5"]


def test_of_a_long_table_some_numbers_are_changed():
    table = ", ".join(str(number) for number in range(10, 110))
    assert len(names(f"const T: [u32; 100] = [{table}];")) == MOST_NUMBERS


def test_a_mutant_changes_its_number_and_nothing_else():
    text = "const A: f64 = 2.5 * 4.0;\n"
    first, second = constants("any", FILE, text)
    assert first.applied(text) == "const A: f64 = 2.75 * 4.0;\n"
    assert second.applied(text) == "const A: f64 = 2.5 * 4.4;\n"
