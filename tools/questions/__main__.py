"""Measure what the scenarios of the questions ask, in virtual time, and write the tables of docs/questions.

Results are kept in results/questions; what they come to in data/questions, from which --kept writes the
pages again.
"""

import argparse
from pathlib import Path

from tools import block
from tools.questions import answer, asked, drawing, page

RESULTS = Path("results/questions")


def main() -> None:
    """Measure the named questions, or all, and fill in their pages."""
    names = [question.name for question in asked.QUESTIONS]
    parser = argparse.ArgumentParser(prog="python -m tools.questions", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*names, []], default=[], metavar="NAME")
    parser.add_argument("--kept", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    for name in arguments.names or names:
        question = asked.of(name)
        if not arguments.kept:
            answer.keep(answer.measure(question, RESULTS / name))
        found = answer.kept(name)
        drawing.draw(question, found, page.FOLDER / f"{name}.svg")
        print(block.fill(page.of(name), page.MARK, list(page.lines(question, found))))


if __name__ == "__main__":
    main()
