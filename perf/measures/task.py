"""One task of one rank, beside what is known of HyperQueue."""
from frame.reference import FIRST_LINE_MS, SUBMIT_WAIT_MS
from frame.samples import reference
from frame.timing import first_line_and_end, turns, whole
from measures.submit import by_http

NAME = "task"
TITLE = "one task: first line, and whole"
ROUNDS = 50


def measure(lab):
    with lab.server() as server:
        where = {"env": server.env, "cwd": lab.folder}
        line, api, true = turns(
            ROUNDS,
            lambda: first_line_and_end(server.verb("run", "--", "echo", "line"), **where)[0],
            lambda: by_http(server, {"run": ["echo", "line"]}),
            lambda: whole(server.verb("run", "--", "true"), **where))
    return [
        reference(NAME, "muster run, first line", line, FIRST_LINE_MS, "ms", True),
        reference(NAME, "HTTP API, first line", api, FIRST_LINE_MS, "ms", True),
        reference(NAME, "muster run -- true, whole", true, SUBMIT_WAIT_MS, "ms", True),
    ]
