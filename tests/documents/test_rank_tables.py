"""The rank table of the documents, made from the hosts it is of."""
import json
import subprocess

from conftest import MUSTER
from documents import blocks


def test_table_made_from_the_documents_hosts_equals_the_printed_one(tmp_path):
    wanted = json.loads(blocks(2, "json")[0])
    instances = wanted["group_list"][0]["instance_list"]
    servers = list(dict.fromkeys(i["server_id"] for i in instances))
    words = [MUSTER, "ranktable", "make", "--form", "lab"]
    for server in servers:
        mine = [i["devices"][0] for i in instances if i["server_id"] == server]
        conf = tmp_path / f"{server}.conf"
        conf.write_text("".join(f"address_{d['device_id']}={d['device_ip']}\n" for d in mine))
        words += ["--server", server, "--hccn", str(conf)]
    made = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert json.loads(made) == wanted


def test_addresses_of_the_document_follow_the_rule_of_planes(tmp_path):
    wanted = json.loads(blocks(2, "json")[0])
    servers = list(dict.fromkeys(i["server_id"] for i in wanted["group_list"][0]["instance_list"]))
    words = [MUSTER, "ranktable", "make", "--form", "lab", "--rule", "192.168.{10+10*(d%4)}.{1+2*s+d/4}"]
    for server in servers:
        words += ["--server", server]
    assert json.loads(subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout) == wanted


def test_table_of_the_document_is_valid_and_can_be_converted(tmp_path):
    table = tmp_path / "hccl.json"
    table.write_text(blocks(2, "json")[0])
    subprocess.run([MUSTER, "ranktable", "check", table], check=True, timeout=60)
    new = json.loads(subprocess.run([MUSTER, "ranktable", "convert", table, "--form", "1.0"], capture_output=True,
                                    text=True, timeout=60, check=True).stdout)
    assert new["version"] == "1.0" and [len(s["device"]) for s in new["server_list"]] == [8, 8]
