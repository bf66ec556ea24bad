"""The last whole run in docs/performance.md: its table, its machine, its picture."""
import datetime
import shutil

from frame import table
from frame.lab import in_words

BEGIN, END = "<!-- the last run: written by perf/run.py --publish -->", "<!-- end of the last run -->"


def section(rows, machine, day):
    reached = [row.reached for row in rows if row.reached is not None]
    return "\n".join([
        BEGIN,
        f"{day}: {in_words(machine)}; {machine['muster']}; load {machine['load_before']:.1f} before the run. "
        f"{sum(reached)} of {len(reached)} bars reached.",
        "", table.as_markdown(rows), "", *(f"{note}  " for note in table.notes(rows)), END])


def with_section(text, new):
    """The page with the part between the marks replaced."""
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the page has no part between {BEGIN!r} and {END!r}")
    return before + new + after


def publish(rows, machine, picture, page):
    page.write_text(with_section(page.read_text(), section(rows, machine, datetime.date.today().isoformat())))
    shutil.copyfile(picture, page.with_suffix(".png"))
    print(f"published: {page}, {page.with_suffix('.png')}")
