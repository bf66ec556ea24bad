"""Where the store is and who we are there: what set_auth said, else the environment, read at each call."""
import json
import os
import re

_said = {}  # by set_auth

_DEFAULTS = {"retry": 5, "retry_wait": 0.2, "client_timeout": 60.0, "list_max_keys": 1000}
# Services that take a bucket only before the host.
_VIRTUAL = re.compile(r"^(obs\..*\.(myhuaweicloud\.com|myhuaweicloud\.eu|t-systems\.com)|s3[.-].*amazonaws\.com|s3\.amazonaws\.com)$")


class Settings:
    """One store, complete. Never printed whole: it has the secret."""

    def __init__(self, scheme, host, port, keys, region, virtual, verify):
        self.scheme, self.host, self.port = scheme, host, port
        self.access_key, self.secret_key, self.token = keys
        self.region, self.virtual, self.verify = region, virtual, verify
        for name, default in _DEFAULTS.items():
            setattr(self, name, _said.get(name, default))

    @property
    def endpoint(self):
        host = "[%s]" % self.host if ":" in self.host else self.host
        return "%s://%s:%d" % (self.scheme, host, self.port)


def _first(*names):
    for name in names:
        value = os.environ.get(name)
        if value:
            return value
    return ""


def _is_true(text, default):
    return default if text == "" else text.strip().lower() not in ("0", "false", "no", "off")


def _split(endpoint, secure, port):
    """Scheme, host and port of what people write: with a scheme or without, with a port or without."""
    found = re.match(r"^(?:(https?)://)?(\[[0-9A-Fa-f:.]+\]|[^/:\[\]@?#\s]+)(?::(\d{1,5}))?/*$", endpoint.strip(), re.IGNORECASE)
    if not found:
        raise ValueError("moxing: %r is no endpoint: expected http://host:port" % endpoint)
    scheme = (found.group(1) or ("https" if secure else "http")).lower()
    port = int(found.group(3) or port or (443 if scheme == "https" else 80))
    return scheme, found.group(2).strip("[]"), port


def _keys():
    if _said.get("ak"):
        return _said["ak"], _said["sk"], _said.get("token", "")
    for prefix, token in (("", "SECURITY_TOKEN"), ("AWS_", "AWS_SESSION_TOKEN"), ("OBS_", "OBS_SECURITY_TOKEN")):
        pair = _first(prefix + "ACCESS_KEY_ID"), _first(prefix + "SECRET_ACCESS_KEY")
        if all(pair):
            return pair + (_first(token),)
    return "", "", ""


def _of_server():
    """What the platform's server says of its own store, where this is one of its jobs: endpoint, access_key, secret_key."""
    path = os.environ.get("MUSTER_ENDPOINT_FILE")
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            store = json.load(file)["s3"]
        _split(store["endpoint"], False, None)
        return {name: str(store.get(name) or "") for name in ("endpoint", "access_key", "secret_key")}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def current():
    """The store that applies now. OSError that tells what to set when there is none."""
    endpoint = _said.get("server") or _first("S3_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
    keys = _keys()
    if not endpoint and not keys[0]:
        store = _of_server()
        endpoint, keys = store.get("endpoint"), (store.get("access_key"), store.get("secret_key"), "")
    if not endpoint or not all(keys[:2]):
        raise OSError("moxing: no object store is known: set S3_ENDPOINT, ACCESS_KEY_ID and SECRET_ACCESS_KEY, "
                      "or call mox.file.set_auth(ak=..., sk=..., server=...)")
    secure = _said.get("is_secure", _is_true(_first("S3_USE_HTTPS"), True))
    scheme, host, port = _split(endpoint, secure, _said.get("port"))
    virtual = not _said["path_style"] if "path_style" in _said else bool(_VIRTUAL.match(host))
    verify = _said.get("ssl_verify", _is_true(_first("S3_VERIFY_SSL"), True))
    region = _said.get("region") or _first("S3_REGION", "AWS_REGION", "AWS_DEFAULT_REGION") or "us-east-1"
    return Settings(scheme, host, port, keys, region, virtual, verify)


def moved(settings):
    """The same store at its new address: a server that was started again may listen elsewhere. None when it did not move."""
    store = {} if _said.get("server") else _of_server()
    if store.get("access_key") != settings.access_key or store["endpoint"] == settings.endpoint:
        return None
    scheme, host, port = _split(store["endpoint"], False, None)
    keys = (settings.access_key, settings.secret_key, settings.token)
    return Settings(scheme, host, port, keys, settings.region, settings.virtual, settings.verify)


def set_auth(ak=None, sk=None, server=None, port=None, is_secure=None, ssl_verify=None, long_conn_mode=None, path_style=None,
             retry=None, retry_wait=None, client_timeout=None, list_max_keys=None, **others):
    """Another store or other keys, for this process. What is None stays as it was; ak and sk go together."""
    if (ak is None) != (sk is None):
        raise ValueError("moxing: set_auth takes ak and sk together")
    if server is not None:
        _split(server, True, port)
    said = {"ak": ak, "sk": sk, "server": server, "port": port, "is_secure": is_secure, "ssl_verify": ssl_verify,
            "path_style": path_style, "retry": retry, "retry_wait": retry_wait, "client_timeout": client_timeout,
            "list_max_keys": list_max_keys, "token": others.get("security_token") or others.get("token"),
            "region": others.get("region")}
    _said.update((name, value) for name, value in said.items() if value is not None)
