"""docs/questions/NAME.svg: how far each setting lies from the reference, a group for each condition."""

from pathlib import Path

from matplotlib.axes import Axes

from bentpipe.figures import style
from tools.questions.answer import Answer
from tools.questions.asked import Question

BOUND_PERCENT = 100.0
"""What lies beyond is an arrow at the edge, with its value; intervals go on beyond."""

_ROW_IN = 0.19
_WIDTH_IN = 7.0


@style.applied()
def draw(question: Question, answer: Answer, path: Path) -> None:
    """Draw the differences and write the figure."""
    conditions = list(dict.fromkeys(row.condition for row in answer.rows))
    compared = [row for row in answer.rows if row.difference_percent is not None]
    figure, (axis,) = style.canvas(
        panels=1, panel_height_in=0.6 + _ROW_IN * (len(compared) + len(conditions))
    )
    figure.set_figwidth(_WIDTH_IN)
    labels: list[tuple[str, bool]] = []
    for condition in conditions:
        labels.append((", ".join(condition), True))
        for row in (each for each in compared if each.condition == condition):
            found = row.difference_percent
            assert found is not None
            place = len(labels)
            if abs(found.value) > BOUND_PERCENT:
                _draw_beyond(axis, place, found.value)
            elif found.low is not None and found.high is not None:
                axis.plot([found.low, found.high], [place, place], color=style.GREY, linewidth=1.2)
            axis.plot([found.value], [place], marker="o", markersize=3.5, color="black", linestyle="")
            labels.append((row.setting, False))
    axis.axvline(0.0, color="black", linewidth=0.6)
    axis.set_yticks(range(len(labels)), [text for text, _ in labels], fontsize=6.5)
    axis.tick_params(axis="y", length=0)
    for (_, is_heading), label in zip(labels, axis.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if is_heading else "normal")
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.set_xlim(*(max(-BOUND_PERCENT, min(edge, BOUND_PERCENT)) for edge in axis.get_xlim()))
    axis.grid(visible=False, axis="y")
    first = question.columns[0]
    axis.set_xlabel(f"{first.title} against {' '.join(question.reference.values())} in %", fontsize=7.5)
    figure.savefig(path, metadata={"Date": None})


def _draw_beyond(axis: Axes, place: int, percent: float) -> None:
    """Draw an arrow at the edge that a value lies beyond: a difference below -100 % there is not."""
    axis.plot(
        [BOUND_PERCENT], [place], marker=">", markersize=4.5, color="black", linestyle="", clip_on=False
    )
    axis.annotate(
        f"{percent:+.0f} %",
        (BOUND_PERCENT, place),
        xytext=(-6, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=6.5,
    )
