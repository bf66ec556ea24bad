"""A data folder with a long past: real jobs of a real server, copied in the journal many times over."""
import pathlib
import sqlite3
import subprocess

# A finished job in every table that speaks of it, with ids moved up by :shift; keys would clash and are dropped.
COPY = (
    """INSERT INTO jobs SELECT id + :shift, {columns} FROM jobs WHERE id <= :seed""",
    """INSERT INTO specs SELECT job_id + :shift, doc FROM specs WHERE job_id <= :seed""",
    """INSERT INTO attempts SELECT job_id + :shift, number, token || '-' || (job_id + :shift), doc FROM attempts WHERE job_id <= :seed""",
    """INSERT INTO events (job_id, wall_ms, kind, data)
       SELECT job_id + :shift, wall_ms, kind, data FROM events WHERE job_id <= :seed ORDER BY seq""",
)


def lengthen(data, jobs):
    """Fills the journal of a stopped server up to so many jobs."""
    journal = sqlite3.connect(pathlib.Path(data) / "journal.db", isolation_level=None)
    columns = [row[1] for row in journal.execute("PRAGMA table_info(jobs)") if row[1] != "id"]
    copied = ", ".join("''" if column == "key" else column for column in columns)
    seed = journal.execute("SELECT max(id) FROM jobs").fetchone()[0]
    if jobs % seed:
        raise ValueError(f"{jobs} jobs cannot be made of {seed}")
    journal.execute("PRAGMA synchronous = OFF")
    journal.execute("BEGIN")
    for shift in range(seed, jobs, seed):
        for statement in COPY:
            journal.execute(statement.format(columns=copied), {"shift": shift, "seed": seed})
    journal.execute("COMMIT")
    journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = journal.execute("SELECT count(*) FROM jobs").fetchone()[0]
    journal.close()
    if found != jobs:
        raise RuntimeError(f"the journal has {found} jobs instead of {jobs}")
    subprocess.run(["sync"], check=True)
