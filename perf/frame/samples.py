"""The arithmetic: samples, their middle and spread, and one row of the table."""
import dataclasses
import math
import statistics


@dataclasses.dataclass(frozen=True)
class Samples:
    """What was measured in one series, in one unit. A single number is a series of one."""
    values: tuple

    def __post_init__(self):
        if not self.values or not all(math.isfinite(value) for value in self.values):
            raise ValueError(f"a series needs finite numbers, has {self.values!r}")

    @classmethod
    def of(cls, values):
        if isinstance(values, Samples):
            return values
        return cls((float(values),) if isinstance(values, (int, float)) else tuple(map(float, values)))

    @property
    def median(self):
        return statistics.median(self.values)

    def quantile(self, share):
        """The value below which this share of the series lies, between neighbours in proportion."""
        ordered = sorted(self.values)
        place = share * (len(ordered) - 1)
        below = math.floor(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)

    @property
    def spread(self):
        """The middle half of the series."""
        return self.quantile(0.25), self.quantile(0.75)


@dataclasses.dataclass(frozen=True)
class Row:
    """One comparison. `ratio` is always "how many times better than the other side", so that a bar is a floor.

    kind: "measured": both sides were measured in this run; "limit": the other side is a fixed bound;
    "reference": the other side is a number published for another program, not measured here.
    """
    measure: str
    what: str
    unit: str
    less_is_better: bool
    muster: Samples
    peer: str
    other: Samples
    bar: float | None = None
    kind: str = "measured"
    note: str = ""
    ceiling: float | None = None  # the ratio that a Muster which costs nothing would have, by what the rest of the race costs

    @property
    def ratio(self):
        a, b = self.muster.median, self.other.median
        top, bottom = (b, a) if self.less_is_better else (a, b)
        return top / bottom if bottom else math.inf

    @property
    def reached(self):
        """True or False, None when nothing is asked."""
        return None if self.bar is None else self.ratio >= self.bar

    def as_json(self):
        low, high = self.muster.spread
        other_low, other_high = self.other.spread
        return {
            "measure": self.measure, "what": self.what, "unit": self.unit, "kind": self.kind,
            "muster": {"median": self.muster.median, "p25": low, "p75": high, "values": list(self.muster.values)},
            "peer": {"name": self.peer, "median": self.other.median, "p25": other_low, "p75": other_high,
                     "values": list(self.other.values)},
            "ratio": self.ratio if math.isfinite(self.ratio) else None, "bar": self.bar, "reached": self.reached,
            "ceiling": self.ceiling,
            "note": self.note,
        }


def faster(measure, what, muster, peer, other, bar=None, unit="ms", **more):
    """A row where the smaller number wins."""
    return Row(measure, what, unit, True, Samples.of(muster), peer, Samples.of(other), bar, **more)


def more(measure, what, muster, peer, other, bar=None, unit="/s", **rest):
    """A row where the larger number wins."""
    return Row(measure, what, unit, False, Samples.of(muster), peer, Samples.of(other), bar, **rest)


def limit(measure, what, muster, bound, unit, **rest):
    """A row that must stay at or below a fixed bound."""
    return Row(measure, what, unit, True, Samples.of(muster), "limit", Samples.of(bound), 1.0, "limit", **rest)


def reference(measure, what, muster, other, unit, less_is_better, measured=None):
    """A row beside HyperQueue, to be ahead of: what was measured of it in this run, else a number known of it."""
    kind = "measured" if measured else "reference"
    return Row(measure, what, unit, less_is_better, Samples.of(muster), "HyperQueue", Samples.of(measured or other), 1.0, kind)


def slope(points):
    """By how much y grows for one x: least squares over (x, y) pairs."""
    if len({x for x, _ in points}) < 2:
        raise ValueError("a slope needs two different x")
    mean_x = statistics.fmean(x for x, _ in points)
    mean_y = statistics.fmean(y for _, y in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
