"""The chart of a run: ratios to the peers on a logarithmic axis, with the bars."""
import math

import cairo

from frame.table import number

WIDTH, ROW, GAP, TOP, BOTTOM = 1400, 26, 14, 96, 64
LEFT, RIGHT, RATIO = 560, 330, 70  # room for the words on both sides of the axis
INK, SOFT, GRID, BAR = (0.13, 0.15, 0.18), (0.45, 0.48, 0.52), (0.89, 0.90, 0.92), (0.10, 0.10, 0.12)
FILL = {True: (0.13, 0.53, 0.40), False: (0.80, 0.27, 0.22), None: (0.55, 0.60, 0.66)}


class Axis:
    """Ratios to pixels: whole decades around every ratio and bar."""

    def __init__(self, values):
        logs = [math.log10(value) for value in values if value > 0 and math.isfinite(value)]
        self.low, self.high = min(math.floor(min(logs)), -1), max(math.ceil(max(logs)), 2)

    def x(self, ratio):
        share = (math.log10(min(max(ratio, 10 ** self.low), 10 ** self.high)) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def ticks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def text(page, words, x, y, size=14, colour=INK, align=0.0, bold=False):
    page.select_font_face("DejaVu Sans", cairo.FONT_SLANT_NORMAL, cairo.FONT_WEIGHT_BOLD if bold else cairo.FONT_WEIGHT_NORMAL)
    page.set_font_size(size)
    page.set_source_rgb(*colour)
    page.move_to(x - align * page.text_extents(words).x_advance, y)
    page.show_text(words)


def line(page, x1, y1, x2, y2, colour, width=1.0):
    page.set_source_rgb(*colour)
    page.set_line_width(width)
    page.move_to(x1, y1)
    page.line_to(x2, y2)
    page.stroke()


def draw_row(page, axis, row, y):
    middle = y + ROW / 2
    text(page, f"{row.what}", LEFT - 195, middle + 5, align=1.0)
    beside = row.peer + (" *" if row.kind == "reference" else "")
    text(page, beside, LEFT - 14, middle + 5, 13, SOFT, 1.0)
    line(page, axis.x(1.0), middle, axis.x(row.ratio), middle, FILL[row.reached], 8)
    if row.ceiling and not row.reached:
        line(page, axis.x(row.ceiling), y + 6, axis.x(row.ceiling), y + ROW - 6, SOFT, 2)
    if row.bar is not None:
        line(page, axis.x(row.bar), y + 2, axis.x(row.bar), y + ROW - 2, BAR, 3)
    page.set_source_rgb(*FILL[row.reached])
    page.arc(axis.x(row.ratio), middle, 6, 0, 2 * math.pi)
    page.fill()
    text(page, f"{number(row.ratio)} ×", WIDTH - RIGHT + RATIO, middle + 5, 14, FILL[row.reached], 1.0, True)
    both = f"{number(row.muster.median)} : {number(row.other.median)} {row.unit}"
    text(page, both, WIDTH - RIGHT + RATIO + 14, middle + 5, 13, SOFT)


def grouped(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.measure, []).append(row)
    return groups


def draw(rows, titles, machine, path):
    """Writes the picture as PNG."""
    groups = grouped(rows)
    height = TOP + BOTTOM + len(rows) * ROW + len(groups) * (ROW + GAP)
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, WIDTH, height)
    page = cairo.Context(surface)
    page.set_source_rgb(1, 1, 1)
    page.paint()
    axis = Axis([row.ratio for row in rows] + [row.bar for row in rows if row.bar])
    text(page, "Ratio of Muster to its peers (logarithmic; above 1 is better)", 24, 36, 20, bold=True)
    text(page, machine, 24, 60, 13, SOFT)
    for tick in axis.ticks():
        line(page, axis.x(tick), TOP - 10, axis.x(tick), height - BOTTOM, SOFT if tick == 1 else GRID, 1.5 if tick == 1 else 1)
        text(page, f"{tick:g} ×", axis.x(tick), TOP - 16, 12, SOFT, 0.5)
    y = TOP
    for name, members in groups.items():
        y += GAP
        text(page, titles[name], 24, y + ROW - 8, 14, bold=True)
        y += ROW
        for row in members:
            draw_row(page, axis, row, y)
            y += ROW
    text(page, "black line: bar · green: reached · red: not reached · grey: no bar · right: medians of Muster and the peer",
         24, height - 36, 12, SOFT)
    more = ["grey line: highest possible ratio"] * any(row.ceiling and not row.reached for row in rows)
    more += ["* reference value of HyperQueue on a machine of the same class, not measured in this run"] * any(
        row.kind == "reference" for row in rows)
    text(page, " · ".join(more), 24, height - 16, 12, SOFT)
    surface.write_to_png(str(path))
