"""One task of one rank, beside HyperQueue or what is known of it."""
from frame.reference import FIRST_LINE_MS, SUBMIT_WAIT_MS
from frame.samples import reference
from frame.timing import first_line_and_end, turns, whole
from measures.submit import by_http

NAME = "task"
TITLE = "one task: first line, and whole"
ROUNDS = 50


def measure(lab):
    hq = lab.hyperqueue
    with lab.server() as server:
        where = {"env": server.env, "cwd": lab.folder}
        line, api, true, *theirs = turns(
            ROUNDS,
            lambda: first_line_and_end(server.verb("run", "--", "echo", "line"), **where)[0],
            lambda: by_http(server, {"run": ["echo", "line"]}),
            lambda: whole(server.verb("run", "--", "true"), **where),
            *([lambda: whole(hq.command("submit", "--wait", "--", "true"), env=hq.env, cwd=hq.folder)] if hq else []))
    return [
        reference(NAME, "muster run, first line", line, FIRST_LINE_MS, "ms", True),
        reference(NAME, "HTTP API, first line", api, FIRST_LINE_MS, "ms", True),
        reference(NAME, "muster run -- true, whole", true, SUBMIT_WAIT_MS, "ms", True, *theirs),
    ]
