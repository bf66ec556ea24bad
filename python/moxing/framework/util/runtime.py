"""What scripts ask of moxing.framework.util.runtime."""
import logging


def reset_logger(level=logging.INFO, **_):
    """The level of what moxing says."""
    logging.getLogger("moxing").setLevel(level)
