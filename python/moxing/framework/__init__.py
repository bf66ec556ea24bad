from . import file, util  # noqa: F401
