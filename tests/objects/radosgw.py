"""radosgw on a cluster of one monitor and one store in memory: the strict reference among S3 servers. Debian's packages."""
import contextlib
import pathlib
import secrets
import subprocess
import uuid

from frame.object_servers import Store, wait_for
from frame.ports import free_port

CONFIG = """[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{mon_port}]
mon initial members = a
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
public addr = 127.0.0.1
ms bind ipv4 = true
ms bind ipv6 = false
mon allow pool size one = true
mon warn on pool no redundancy = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
log file = {folder}/$name.log
admin socket = {folder}/$name.asok
pid file = {folder}/$name.pid
run dir = {folder}
crash dir = {folder}
[mon]
mon data = {folder}/$name
keyring = {folder}/mon.keyring
[mgr]
mgr data = {folder}/$name
mgr initial modules =
keyring = {folder}/mgr.keyring
[osd]
osd data = {folder}/$name
keyring = {folder}/$name/keyring
[client.rgw.a]
rgw data = {folder}/$name
keyring = {folder}/rgw.keyring
rgw frontends = beast endpoint=127.0.0.1:{port}
rgw thread pool size = 64
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
"""


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.fsid, self.port, self.mon_port = str(uuid.uuid4()), free_port(), free_port()
        self.config = self.folder / "ceph.conf"
        self.config.write_text(CONFIG.format(fsid=self.fsid, folder=self.folder, port=self.port, mon_port=self.mon_port))
        self.processes = []

    def run(self, *words, text=None):
        done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr[-2000:]}"
        return done.stdout

    def ceph(self, *words, text=None):
        return self.run("ceph", "-c", self.config, "-k", self.folder / "admin.keyring", "--connect-timeout", 60, *words, text=text)

    def start(self, *words):
        with open(self.folder / "out", "ab") as out:
            self.processes.append(subprocess.Popen([*map(str, words), "-c", str(self.config), "-f"], stdin=subprocess.DEVNULL,
                                                   stdout=out, stderr=out))

    def begin(self):
        folder, everything = self.folder, ["--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mgr", "allow *"]
        self.run("ceph-authtool", "--create-keyring", folder / "mon.keyring", "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
        self.run("ceph-authtool", "--create-keyring", folder / "admin.keyring", "--gen-key", "-n", "client.admin", *everything)
        self.run("ceph-authtool", folder / "mon.keyring", "--import-keyring", folder / "admin.keyring")
        self.run("monmaptool", "--create", "--addv", "a", f"[v2:127.0.0.1:{self.mon_port}]", "--fsid", self.fsid, folder / "monmap")
        self.run("ceph-mon", "-c", self.config, "--mkfs", "-i", "a", "--monmap", folder / "monmap", "--keyring", folder / "mon.keyring")
        self.start("ceph-mon", "-i", "a")
        self.ceph("auth", "get-or-create", "mgr.a", "mon", "allow profile mgr", "osd", "allow *", "-o", folder / "mgr.keyring")
        self.ceph("auth", "get-or-create", "client.rgw.a", "mon", "allow rwx", "osd", "allow rwx", "-o", folder / "rgw.keyring")
        self.begin_osd()
        (folder / "mgr.a").mkdir()
        self.start("ceph-mgr", "-i", "a")
        (folder / "client.rgw.a").mkdir()
        self.start("radosgw", "-n", "client.rgw.a")
        endpoint = f"http://127.0.0.1:{self.port}"
        wait_for(endpoint, self.processes, self.folder / "out")
        access, secret = "musterstrict", secrets.token_hex(16)
        self.run("radosgw-admin", "-c", self.config, "-k", folder / "admin.keyring", "user", "create", "--uid", "muster",
                 "--display-name", "muster", "--access-key", access, "--secret-key", secret)
        return Store("radosgw", endpoint, access, secret, self.processes[-1].pid)

    def begin_osd(self):
        number = self.ceph("osd", "create", self.fsid).strip()
        assert number == "0", number
        data = self.folder / "osd.0"
        data.mkdir()
        self.ceph("auth", "get-or-create", "osd.0", "mon", "allow profile osd", "osd", "allow *", "mgr", "allow profile osd",
                  "-o", data / "keyring")
        self.run("ceph-osd", "-c", self.config, "-i", "0", "--mkfs", "--osd-uuid", self.fsid)
        self.start("ceph-osd", "-i", "0")

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextlib.contextmanager
def radosgw(folder):
    cluster = Cluster(folder)
    try:
        yield cluster.begin()
    finally:
        cluster.end()
