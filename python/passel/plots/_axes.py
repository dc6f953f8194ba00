"""What figures share: axes, colours, and names as labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any

#: Okabe and Ito's colours, told apart by colour-blind readers too, as on the pages of reports.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8a949e"

#: Signs of a name that a label shows.
_LONGEST = 40


def axes(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    """The axes to draw on: those given, or the only ones of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'passel[plot]'") from None
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def height_of(rows: int) -> float:
    """The height in inches of a figure that has a row for each name."""
    return 1.3 + 0.28 * max(rows, 2)


def label(name: Any) -> str:
    """A name as text of a figure: shortened, and without the marks of formulas."""
    text = str(name)
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return text.replace("$", r"\$")


def name_rows(ax: Axes, names: Sequence[Any]) -> None:
    """Names the rows of a figure, the first on top."""
    ax.set_yticks(range(len(names)), [label(name) for name in names])
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)


def bars(ax: Axes, names: Sequence[Any], values: Sequence[float], colours: str | Sequence[str] = BLUE) -> None:
    """A horizontal bar for each name, the first on top."""
    ax.barh(range(len(names)), values, color=colours, height=0.7)
    name_rows(ax, names)


def diagonal(ax: Axes, least: float, most: float) -> None:
    """The line on which both axes are equal."""
    ax.plot([least, most], [least, most], color=GREY, linewidth=1, zorder=1)


def legend(ax: Axes) -> None:
    """The legend, where anything has a label."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False)


def whole_numbers(ax: Axes) -> None:
    """Marks the horizontal axis at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def logarithmic(ax: Axes) -> None:
    """Makes the horizontal axis logarithmic, with numbers as they are rather than as powers."""
    from matplotlib.ticker import LogFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    # Between powers of ten only where there is room.
    ax.xaxis.set_minor_formatter(LogFormatter(minor_thresholds=(1.2, 0.4)))


def number(value: float | None) -> float:
    """A number of a report, NaN where it has none."""
    return float("nan") if value is None else float(value)


def cells(ax: Axes, values: Any, rows: Sequence[Any], columns: Sequence[Any], **options: Any) -> None:
    """A heat map with a scale beside it."""
    image = ax.imshow(values, aspect="auto", **options)
    ax.set_yticks(range(len(rows)), [label(name) for name in rows])
    ax.set_xticks(range(len(columns)), [label(name) for name in columns], rotation=90)
    figure = ax.get_figure()
    if figure is not None:
        figure.colorbar(image, ax=ax)
