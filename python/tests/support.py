"""For the unit tests of the Python packages: nothing but pytest and the standard library, and no server."""
import os
import pathlib
import sys

import pytest

PYTHON = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PYTHON))
sys.dont_write_bytecode = True


@pytest.fixture(autouse=True)
def no_store(monkeypatch):
    """No test depends on what the caller's environment says of stores."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "S3_", "OBS_", "MUSTER_", "MOX_")) or name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setattr("moxing.framework.file.settings._said", {})
