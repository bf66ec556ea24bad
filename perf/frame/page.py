"""The last whole runs in docs/performance.md: of jobs, and of buckets. Each has its table, its machine, its picture."""
import datetime

from frame import picture, table
from frame.lab import in_words


def marks(group):
    return f"<!-- the last run of {group}: written by perf/run.py --publish -->", f"<!-- end of the last run of {group} -->"


def section(group, rows, machine, day):
    begin, end = marks(group)
    reached = [row.reached for row in rows if row.reached is not None]
    return "\n".join([
        begin,
        f"{day}: {in_words(machine)}; {machine['muster']}; load {machine['load_before']:.1f} before the run. "
        f"{sum(reached)} of {len(reached)} bars reached.",
        "", table.as_markdown(rows), "", *(f"{note}  " for note in table.notes(rows)), end])


def with_section(text, group, new):
    """The page with the part between the marks of the group replaced."""
    begin, end = marks(group)
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"the page has no part between {begin!r} and {end!r}")
    return before + new + after


def publish(group, rows, titles, machine, page):
    page.write_text(with_section(page.read_text(), group, section(group, rows, machine, datetime.date.today().isoformat())))
    image = page.with_name(f"{page.stem}_{group}.png")
    picture.draw(rows, titles, in_words(machine), image)
    print(f"published: {page}, {image}")
