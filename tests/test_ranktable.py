"""muster ranktable: check, make, merge and convert, as a person and a script meet them."""
import json
import subprocess

import pytest
from conftest import MUSTER

RULE = "10.20.{d%4}.{5+2*s+d/4}"
FORMS = ["lab", "cloud", "1.0", "1.1", "1.2"]


def ranktable(*words, code=0, cwd=None):
    result = subprocess.run([MUSTER, "ranktable", *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=60)
    assert result.returncode == code, (words, result.returncode, result.stdout, result.stderr)
    return result.stdout if code in (0, 1) and not result.stderr.startswith("muster: ") else result.stderr


def make(folder, name, *words):
    ranktable("make", "-o", folder / name, *words)
    return folder / name


@pytest.mark.parametrize("form", FORMS)
def test_new_table_passes_the_check(scratch, form):
    table = make(scratch, "t.json", "--form", form, "--server", "10.1.0.11", "--server", "10.1.0.12", "--rule", RULE)
    assert ranktable("check", table) == f"{table}: good, 16 devices on 2 servers, form {form}\n"
    answer = json.loads(ranktable("check", table, "--json"))["tables"][0]
    assert answer["usable"] and answer["form"] == form and answer["faults"] == []


def test_merge_of_single_servers_equals_the_table_of_both(scratch):
    for place, address in enumerate(["10.1.0.11", "10.1.0.12"]):
        addresses = ",".join(f"10.20.{d % 4}.{5 + 2 * place + d // 4}" for d in range(8))
        make(scratch, f"{place}.json", "--server", address, "--addresses", addresses)
    both = make(scratch, "both.json", "--server", "10.1.0.11", "--server", "10.1.0.12", "--rule", RULE)
    merged = ranktable("merge", scratch / "0.json", scratch / "1.json")
    assert json.loads(merged) == json.loads(both.read_text())


@pytest.mark.parametrize("form", FORMS)
def test_conversion_round_trips(scratch, form):
    first = make(scratch, "a.json", "--server", "10.1.0.11", "--server", "10.1.0.12", "--rule", RULE)
    ranktable("convert", first, "--form", form, "-o", scratch / "b.json")
    assert json.loads(ranktable("convert", scratch / "b.json", "--form", "1.0")) == json.loads(first.read_text())


def test_addresses_come_from_hccn_conf_of_each_server(scratch):
    for place in (0, 1):
        lines = "".join(f"address_{d}=192.168.{d}.{place + 1}\nnetmask_{d}=255.255.255.0\n" for d in range(8))
        (scratch / f"hccn{place}.conf").write_text(lines)
    text = ranktable("make", "--server", "10.1.0.11=2,3", "--server", "10.1.0.12=0,1",
                     "--hccn", scratch / "hccn0.conf", "--hccn", scratch / "hccn1.conf")
    devices = [d for server in json.loads(text)["server_list"] for d in server["device"]]
    assert [(d["rank_id"], d["device_id"], d["device_ip"]) for d in devices] == [
        ("0", "2", "192.168.2.1"), ("1", "3", "192.168.3.1"), ("2", "0", "192.168.0.2"), ("3", "1", "192.168.1.2")]


def test_all_faults_are_reported_and_the_exit_code_is_1(scratch):
    table = make(scratch, "t.json", "--server", "10.1.0.11", "--server", "10.1.0.12", "--rule", RULE)
    document = json.loads(table.read_text())
    document["server_list"][1]["device"][0]["rank_id"] = "0"
    document["server_list"][1]["device"][1]["device_ip"] = "10.20.0.5"
    table.write_text(json.dumps(document))
    assert ranktable("check", table, code=1).splitlines() == [
        f"{table}: server_list[1].device[0].rank_id: rank 0 stands twice, first in server_list[0].device[0]",
        f"{table}: server_list[1].device[1].device_ip: 10.20.0.5 stands twice, first in server_list[0].device[0]"]
    assert not json.loads(ranktable("check", table, "--json", code=1))["tables"][0]["usable"]


def test_table_of_another_job_is_detected(scratch):
    table = make(scratch, "t.json", "--server", "10.1.0.11", "--server", "10.1.0.12", "--rule", RULE)
    text = ranktable("check", table, "--server", "10.1.0.11", "--server", "10.1.0.13", "--rank", "9", "--device", "0", code=1)
    assert "server 10.1.0.12 is none of this job" in text
    assert "server 10.1.0.13 of this job is not in the table" in text
    assert "rank 9 is device 1 of server 10.1.0.12 here, but the process opens device 0" in text


@pytest.mark.parametrize("words, said", [
    (["chekc", "x.json"], 'did you mean "check"?'),
    (["check"], "check needs at least one file"),
    (["check", "missing.json"], "missing.json"),
    (["check", "bad.json"], "bad.json"),
    (["make"], "name each with --server"),
    (["make", "--server", "10.1.0.11", "--form", "2.0"], "lab, cloud, 1.0, 1.1 or 1.2"),
    (["make", "--server", "10.1.0.11", "--devices", "0,x"], "--devices"),
    (["make", "--server", "10.1.0.11", "--rule", "10.0.0.{"], "cannot be read at"),
    (["make", "--server", "a", "--server", "a", "--rule", RULE], "server a stands twice"),
    (["make", "--server", "a", "--addresses", "10.0.0.1"], "8 devices and 1 device addresses"),
    (["convert", "bad.json"], "--form"),
    (["check", "bad.json", "--device", "1"], "--device needs --rank"),
])
def test_wrong_arguments_get_a_next_step(scratch, words, said):
    (scratch / "bad.json").write_text('{"version": ')
    result = subprocess.run([MUSTER, "ranktable", *words], capture_output=True, text=True, cwd=scratch, timeout=60)
    assert result.returncode != 0 and said in result.stderr and "Traceback" not in result.stderr, result.stderr
