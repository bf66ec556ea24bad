"""The result table of a run, as text and as Markdown."""
import math


def number(value):
    """The value with three significant digits."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 3)}f}"


def with_spread(samples, unit):
    low, high = samples.spread
    text = f"{number(samples.median)} {unit}".strip()
    return text if len(samples.values) < 2 else f"{text} ({number(low)}–{number(high)})"


def verdict(row):
    return {True: "yes", False: "NO", None: ""}[row.reached]


HEAD = "measure", "what", "Muster", "peer", "peer result", "ratio", "bar", "reached"


def bar(row):
    """The bar; if it was missed, also the highest possible ratio where that is known."""
    if row.bar is None:
        return ""
    return f"{number(row.bar)} ×" + (f" (at most {number(row.ceiling)} ×)" if row.ceiling and not row.reached else "")


def cells(row):
    there = with_spread(row.other, row.unit) + (" *" if row.kind == "reference" else "")
    return (row.measure, row.what, with_spread(row.muster, row.unit), row.peer, there, f"{number(row.ratio)} ×",
            bar(row), verdict(row))


def notes(rows):
    """Footnotes of the table."""
    lines = [f"{row.measure}, {row.what}: {row.note}" for row in rows if row.note]
    if any("at most" in bar(row) for row in rows):
        lines.append("at most: highest possible ratio, measured in the same rounds with a server that stores and checks nothing; "
                     "on the same machine with a program that only reads, creates and fills files; "
                     "for muster cp a client without processor time")
    if any(row.kind == "reference" for row in rows):
        lines.append("* reference, not measured in this run: HyperQueue on an idle machine of this class, its journal not synced")
    return lines


def as_text(rows):
    lines = [HEAD, *map(cells, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    text.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(text + [""] * bool(notes(rows)) + notes(rows))


def as_markdown(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join(lines + ["| " + " | ".join(cells(row)) + " |" for row in rows])
