"""MoXing for jobs of Muster: `import moxing as mox`, then mox.file. See docs/moxing.md."""
import sys as _sys

from . import _elsewhere

_genuine, _unrelated = _elsewhere.find(_sys.path)
if _genuine:
    _elsewhere.take_place(_genuine)
else:
    if _unrelated:
        _elsewhere.say_unrelated(_unrelated)
    from . import framework  # noqa: F401
    from .framework import file  # noqa: F401

    __version__ = "2.0.0"
