"""Keys of objects that no file can be named after: the others are copied, and the key is reported."""
import pytest
from conftest import PYTHON
from s3 import client

BAD = ["..", "x/..", "x/./y", "a//b", "l/" + "n" * 256]


@pytest.fixture
def cluster(start_server):
    server = start_server("--nodes", "1x2cpu", "--store-sync", "none")
    s3 = client(server)
    s3.create_bucket(Bucket="odd-bucket")
    for key in ["good", "x/good", *BAD]:
        s3.put_object(Bucket="odd-bucket", Key="set/" + key, Body=key.encode())
    return server


@pytest.mark.parametrize("verb", [("cp", "-r"), ("sync",)])
def test_recursive_copy_skips_and_reports_keys_that_no_file_can_have(cluster, scratch, verb):
    for _ in "ab":
        result = cluster.run(*verb, "s3://odd-bucket/set/", "out", cwd=scratch)
        assert result.stderr.count("skipped s3://odd-bucket/set/") == len(BAD), result.stderr
        assert {str(p.relative_to(scratch / "out")): p.read_text() for p in (scratch / "out").rglob("*") if p.is_file()} == {"good": "good", "x/good": "x/good"}
    assert sorted(p.name for p in scratch.iterdir()) == ["data", "data.log", "out"]


def test_a_job_gets_the_other_files_of_an_input_with_such_keys(cluster, scratch):
    look = "import os, sys; print(sorted(os.path.relpath(os.path.join(f, n), sys.argv[1][7:]) for f, _, ns in os.walk(sys.argv[1][7:]) for n in ns))"
    for _ in "ab":
        job = cluster.submit("-C", "none", "-i", "data=s3://odd-bucket/set/", "--", PYTHON, "-c", look, cwd=scratch)
        assert cluster.wait_end(job)["state"] == "succeeded", cluster.run("describe", job).stdout
        assert cluster.rank_log(job).decode() == "['good', 'x/good']\n"
    first = cluster.run("logs", job - 1, check=False)
    told = cluster.run("describe", "--json", job - 1).stdout + first.stdout + cluster.run("events", job - 1).stdout
    assert f"skipped {len(BAD)} objects whose key cannot be the name of a file" in told
