"""Where the platforms' own documents are, for tests that read them. They are not part of the project: $MUSTER_DOCUMENTS
names their folder, else they are looked for beside the checkout, and the tests skip where they are not."""
import os
import pathlib
import re
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ.get("MUSTER_DOCUMENTS") or ROOT.parent / "shared" / "seeds")


def document(number):
    """The text of document `number`; skips the test when it is not on this machine."""
    found = sorted(FOLDER.glob(f"{number:03}_*.txt")) if FOLDER.is_dir() else []
    if not found:
        pytest.skip(f"document {number:03} is not at {FOLDER} (name its folder with MUSTER_DOCUMENTS)")
    return found[0].read_text()


def blocks(number, language):
    """The fenced blocks of one language, in their order, without a common indent."""
    found = re.findall(rf"^ *``` ?{language}\n(.*?)^ *```", document(number), re.M | re.S)
    return [textwrap.dedent(block) for block in found]


def listing(number, name):
    """The script of that name in a document of reStructuredText: what follows its title and the mark of a listing, up to the
    next paragraph of the document. Some listings there have lost their indent."""
    text = document(number)
    match = re.search(rf"^{re.escape(name)} *\n\n\.\. code-block::[^\n]*\n(.*?)\n(?=-  |\S*来源|提交)", text, re.M | re.S)
    assert match, f"document {number:03} has no listing of {name}"
    return textwrap.dedent(match.group(1)).strip("\n") + "\n"


def command(number, words):
    """The line of a document that begins, behind its label, with these words, without what follows a comma."""
    match = re.search(rf"{re.escape(words)}[^，\n]*", document(number))
    assert match, f"document {number:03} has no command {words}"
    return match.group(0).strip()
