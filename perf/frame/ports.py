"""A port for a program that must be told one."""
import random
import socket

BELOW_THE_KERNELS_RANGE = range(10000, 20000)  # and below the ports that jobs get


def free_port():
    """Free now, and no outgoing connection of anybody takes it before, or between, the starts of its server."""
    for port in random.SystemRandom().sample(BELOW_THE_KERNELS_RANGE, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return port
            except OSError:
                continue
    raise RuntimeError("of 100 ports none is free")
