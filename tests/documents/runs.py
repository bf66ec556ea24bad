"""Jobs of the documents on two virtual nodes with eight devices each."""
import json

from conftest import need_view


def job_file(folder, **fields):
    path = folder / "job.json"
    path.write_text(json.dumps(fields))
    return path


def notes(job):
    return [note for node in job["attempts"][-1]["nodes"] for note in node["notes"]]


def ended(server, job_id, seconds=120):
    """The job when it is over; skips where the machine cannot show it the folders of its platform."""
    job = server.wait_end(job_id, seconds)
    need_view(notes(job))
    return job


def succeeded(server, job_id, seconds=120):
    job = ended(server, job_id, seconds)
    logs = [server.rank_log(job_id, rank["rank"])[-3000:].decode(errors="replace") for rank in job["ranks"][:2]]
    assert job["state"] == "succeeded", (job["reason"], job["verdict"], notes(job), logs)
    return job


def findings(server, folder, name):
    """What the doctor says about one script, by code."""
    result = server.run("doctor", "--json", name, cwd=folder, check=False)
    (file,) = json.loads(result.stdout)["files"]
    return {finding["code"]: finding for finding in file["findings"]}
