"""Where the platforms' own documents are, for tests that read them. They are not part of the project: $MUSTER_DOCUMENTS
names their folder, else they are looked for beside the checkout, and the tests skip where they are not."""
import os
import pathlib
import re

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
    """The fenced blocks of one language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```", document(number), re.M | re.S)
