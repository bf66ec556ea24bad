"""Plans of large jobs: the server goes on answering, its memory stays bounded, and too large plans are refused."""
import http.client
import json
import re
import select
import urllib.parse

import pytest


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "4x8cpu")


def peak_memory(pid):
    """The most memory that a process has had, in MiB."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", open(f"/proc/{pid}/status").read())[1]) / 1024


def connect(cluster):
    address = urllib.parse.urlsplit(cluster.endpoint()["url"])
    return http.client.HTTPConnection(address.hostname, address.port, timeout=120)


def ask_for_plan(cluster, nodes):
    connection = connect(cluster)
    body = json.dumps({"spec": {"run": "true", "resources": {"nodes": nodes, "devices": "cpu:1"}}})
    connection.request("POST", "/api/v1/plan", body, {"Authorization": f"Bearer {cluster.endpoint()['token']}",
                                                      "Content-Type": "application/json"})
    return connection


def test_plan_of_3000_nodes_is_complete_and_leaves_the_server_responsive(cluster):
    planning, other = ask_for_plan(cluster, 3000), connect(cluster)
    answered = 0
    while not select.select([planning.sock], [], [], 0)[0]:
        other.request("GET", "/api/v1/health")
        assert other.getresponse().read() == b'{"status":"ok"}\n'
        answered += 1
    assert answered >= 5, "the server answered no other request while it planned"
    answer = planning.getresponse()
    text = answer.read()
    assert answer.status == 200 and len(text) < 40 << 20
    plan = json.loads(text)
    assert [node["node"] for node in plan["nodes"]] == list(range(3000))
    assert len(plan["common"]["env"]["MUSTER_NODE_ADDRESSES"].split(",")) == 3000 == len(plan["common"]["hosts"])
    assert not [node for node in plan["nodes"] if "MUSTER_NODE_ADDRESSES" in node["env"] or "hosts" in node]
    assert peak_memory(cluster.process.pid) < 700


def test_plan_verb_prints_3000_nodes(cluster):
    text = cluster.run("plan", "-N", "3000", "-g", "cpu:1", "--", "true").stdout
    assert text.startswith("3000 nodes, 3000 ranks\n")
    assert "MUSTER_NODE_INDEX=2999" in text


def test_json_of_the_plan_verb_has_whole_orders(cluster):
    nodes = json.loads(cluster.run("plan", "--json", "-N", "3", "-g", "cpu:1", "-e", "A=1", "--", "true").stdout)["nodes"]
    offline = json.loads(cluster.run("plan", "--json", "--offline", "-N", "3", "-g", "cpu:1", "-e", "A=1", "--", "true").stdout)["nodes"]
    assert len(nodes) == len(offline) == 3
    for node in nodes + offline:
        assert len(node["hosts"]) == 3 and len(node["env"]["MUSTER_NODE_ADDRESSES"].split(",")) == 3 and node["env"]["A"] == "1"


@pytest.mark.parametrize("flags, what", [(["-N", "4097"], "4097 nodes, and a plan shows at most 4096"),
                                         (["-N", "400", "-g", "cpu:100"], "40000 ranks, and a plan shows at most 32768")])
@pytest.mark.parametrize("where", [[], ["--offline"]])
def test_too_large_plan_is_refused_with_the_limit(cluster, flags, what, where):
    done = cluster.run("plan", *where, *flags, "--", "true", check=False)
    assert done.returncode != 0 and what in done.stderr and done.stdout == ""
    assert json.loads(cluster.run("nodes", "--json").stdout)


def test_plans_are_made_one_at_a_time_and_too_many_are_refused(cluster):
    asked = [ask_for_plan(cluster, 4096) for _ in range(24)]
    answers = [connection.getresponse() for connection in asked]
    refused = [answer for answer in answers if answer.status == 503]
    assert {answer.status for answer in answers} == {200, 503} and len(refused) <= 7
    assert "16 plans are waiting already" in json.loads(refused[0].read())["error"]["message"]
    for answer in answers:
        if answer.status == 200:
            assert len(json.loads(answer.read())["nodes"]) == 4096
    assert peak_memory(cluster.process.pid) < 1500
