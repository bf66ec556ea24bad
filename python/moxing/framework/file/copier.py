"""Bulk copies by the platform's copier: one process that keeps many transfers going."""
import errno
import json
import os
import shutil
import subprocess

from .exceptions import MoxFileNotExistsException, MoxFileRespException
from .settings import current

_OURS = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN")


def executable():
    """Its path, or None where there is none: outside of a job, or in an image without it."""
    named = os.environ.get("MUSTER_EXECUTABLE")
    if named:
        return named if os.access(named, os.X_OK) else None
    return shutil.which("muster")


def can_copy(source, target):
    """Whether the copier is there and can reach the store as we were told to."""
    if executable() is None:
        return False
    if not (source.remote or target.remote):
        return True
    settings = current()
    return settings.verify or settings.scheme == "http"


def _environment(record_folder):
    """What it shall know of stores is said here: no file of the user's speaks beside it."""
    env = {name: value for name, value in os.environ.items() if name not in _OURS}
    env.update(MUSTER_PROFILES="/dev/null", AWS_CONFIG_FILE="/dev/null", AWS_SHARED_CREDENTIALS_FILE="/dev/null")
    if record_folder:
        env["XDG_STATE_HOME"] = record_folder
    return env


def _place(location):
    """As the copier reads it; a local path can be taken for nothing else."""
    if location.remote:
        return "s3://%s/%s" % (location.bucket, location.key)
    return os.path.abspath(location.path)


def run(source, target, recursive, threads, record_folder=None, keep_open=()):
    """Copies; returns when all is there. `keep_open`: descriptors that stay open as long as the copier lives."""
    words = [executable(), "cp", "--json", "--jobs", str(max(1, min(256, threads or 1)))]
    words += ["--recursive"] if recursive else []
    words += [] if record_folder else ["--no-resume"]
    env = _environment(record_folder)
    if source.remote or target.remote:
        settings = current()
        words += ["--endpoint", settings.endpoint, "--region", settings.region,
                  "--style", "virtual" if settings.virtual else "path"]
        env.update(AWS_ACCESS_KEY_ID=settings.access_key, AWS_SECRET_ACCESS_KEY=settings.secret_key)
        if settings.token:
            env["AWS_SESSION_TOKEN"] = settings.token
    words += [_place(source), _place(target)]
    done = subprocess.run([os.fsencode(word) for word in words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, pass_fds=tuple(keep_open))
    if done.returncode != 0:
        raise _exception(done, source, target)


def _exception(done, source, target):
    """What it said, as the exception that scripts expect."""
    what = "moxing: copying %s to %s failed" % (source.url, target.url)
    said = done.stderr.decode("utf-8", "replace").strip()
    try:
        if done.stdout.strip():
            summary = json.loads(done.stdout.decode("utf-8", "replace"))
            failure = summary["failures"][0]
            text = "%s: %d of its files, among them %s: %s" % (what, summary["failed"], failure["source"], failure["message"])
        else:
            failure = json.loads(said)["error"]
            text = "%s: %s" % (what, failure["message"])
        code = failure["code"]
    except (ValueError, LookupError, TypeError):
        return MoxFileRespException("%s (exit code %d): %s" % (what, done.returncode, said[-2000:]))
    if code == "not_found":
        return MoxFileNotExistsException(source.url, text)
    if code == "no_space":
        return OSError(errno.ENOSPC, text, target.url)
    return MoxFileRespException(text)
