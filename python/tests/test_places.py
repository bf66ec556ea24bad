"""URLs, settings and signatures: what is decided before anything is sent."""
import json
import pathlib

import pytest
from support import no_store  # noqa: F401
from moxing.framework.file import s3, settings, signing
from moxing.framework.file.connection import Answer, _address
from moxing.framework.file.exceptions import MoxFileReadException
from moxing.framework.file.location import Location, is_remote


@pytest.mark.parametrize("url, bucket, key", [
    ("obs://b/k", "b", "k"), ("s3://b/k", "b", "k"), ("S3://b", "b", ""), ("s3://b/", "b", ""), ("obs://b//k", "b", "/k"),
    ("obs://b/a/../c", "b", "a/../c"), ("s3:/b/k", "b", "k"), ("obs://b/a?x#y%20", "b", "a?x#y%20"), ("obs://b/数 据", "b", "数 据"),
])
def test_every_character_of_a_key_is_significant(url, bucket, key):
    at = Location(url)
    assert (at.remote, at.bucket, at.key) == (True, bucket, key)


@pytest.mark.parametrize("url", ["/s3://b/k", "s3", "s3:", "obs", "./obs://b", "http://b/k", pathlib.Path("/x")])
def test_other_text_is_a_local_path(url):
    assert not Location(url).remote


def test_is_remote_accepts_any_text():
    assert [is_remote(what) for what in (3, None, b"s3://b/k", "s3://b/k", pathlib.PurePosixPath("s3://b/k"))] == \
        [False, False, False, True, True]


@pytest.mark.parametrize("url", ["", "obs://", "obs:///k", "s3:///", "a\0b"])
def test_urls_without_a_name_are_refused(url):
    with pytest.raises(ValueError, match="moxing: "):
        Location(url)


def test_folder_equals_its_prefix():
    assert [Location(url).prefix for url in ("obs://b", "obs://b/", "obs://b/a", "obs://b/a/", "obs://b/a//")] == \
        ["", "", "a/", "a/", "a//"]


def keys(monkeypatch, prefix=""):
    monkeypatch.setenv(prefix + "ACCESS_KEY_ID", prefix + "ak")
    monkeypatch.setenv(prefix + "SECRET_ACCESS_KEY", prefix + "sk")


@pytest.mark.parametrize("text, secure, expected", [
    ("http://h:1", "", ("http", "h", 1)), ("https://h/", "", ("https", "h", 443)), ("h", "", ("https", "h", 443)),
    ("h:9000", "0", ("http", "h", 9000)), ("h", "1", ("https", "h", 443)), ("http://[::1]:8", "", ("http", "::1", 8)),
])
def test_endpoints_are_read_as_people_write_them(monkeypatch, text, secure, expected):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", text)
    monkeypatch.setenv("S3_USE_HTTPS", secure)
    found = settings.current()
    assert (found.scheme, found.host, found.port) == expected


@pytest.mark.parametrize("text", ["http://", "ftp://h", "http://u@h", "http://h/path", "h:x", "a b"])
def test_what_is_no_endpoint_is_refused(monkeypatch, text):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", text)
    with pytest.raises(ValueError, match="is no endpoint"):
        settings.current()


def test_the_first_family_of_variables_that_is_whole_applies(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://h:1")
    keys(monkeypatch, "OBS_")
    assert settings.current().access_key == "OBS_ak"
    keys(monkeypatch, "AWS_")
    assert settings.current().access_key == "AWS_ak"
    monkeypatch.setenv("ACCESS_KEY_ID", "half")
    assert settings.current().access_key == "AWS_ak"
    keys(monkeypatch)
    assert settings.current().access_key == "ak"


def test_without_a_store_it_is_said_what_to_set():
    with pytest.raises(OSError, match="S3_ENDPOINT.*set_auth"):
        settings.current()


def test_set_auth_goes_before_the_environment(monkeypatch):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", "http://h:1")
    settings.set_auth(ak="a", sk="b", server="obs.cn-north-4.myhuaweicloud.com", is_secure=False, long_conn_mode=True,
                      obs_client_log=None, negotiation=False)
    found = settings.current()
    assert (found.access_key, found.endpoint, found.virtual) == ("a", "http://obs.cn-north-4.myhuaweicloud.com:80", True)
    settings.set_auth(path_style=True, port=8080, retry=0)
    assert (settings.current().virtual, settings.current().port, settings.current().retry) == (False, 8080, 0)
    with pytest.raises(ValueError, match="together"):
        settings.set_auth(ak="a")


def test_a_server_that_was_started_again_is_found_at_its_new_address(monkeypatch, tmp_path):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", "http://127.0.0.1:1")
    file = tmp_path / "endpoint.json"
    monkeypatch.setenv("MUSTER_ENDPOINT_FILE", str(file))
    assert settings.moved(settings.current()) is None
    file.write_text(json.dumps({"s3": {"endpoint": "http://127.0.0.1:2", "access_key": "ak"}}))
    assert settings.moved(settings.current()).port == 2
    for text in ("", "[]", "{}", '{"s3": 1}', '{"s3": {"endpoint": "x y", "access_key": "ak"}}',
                 '{"s3": {"endpoint": "http://127.0.0.1:2", "access_key": "another"}}'):
        file.write_text(text)
        assert settings.moved(settings.current()) is None


def test_the_store_of_the_server_is_known_without_variables(monkeypatch, tmp_path):
    file = tmp_path / "endpoint.json"
    file.write_text(json.dumps({"s3": {"endpoint": "http://127.0.0.1:2", "access_key": "a", "secret_key": "s", "region": "r"}}))
    monkeypatch.setenv("MUSTER_ENDPOINT_FILE", str(file))
    found = settings.current()
    assert (found.endpoint, found.access_key, found.secret_key) == ("http://127.0.0.1:2", "a", "s")


def test_buckets_stand_in_the_path_or_before_the_host():
    made = settings.Settings("https", "h", 443, ("a", "s", ""), "r", True, True)
    assert _address(made, "b", "k ü") == ("b.h", "b.h", "/k%20%C3%BC")
    made.virtual, made.port = False, 9
    assert _address(made, "b", "/k/../x") == ("h", "h:9", "/b//k/../x")
    assert _address(made, "b", "") == ("h", "h:9", "/b")


def test_a_signature_covers_everything_but_is_no_secret():
    made = settings.Settings("http", "h", 80, ("AK", "S3CRET", "TOKEN"), "r", False, True)
    headers = {"host": "h", "range": " bytes=0-1  "}
    signing.sign(made, "GET", "/b/k", "a=1", headers, signing.EMPTY, 1700000000)
    assert headers["x-amz-date"] == "20231114T221320Z"
    assert "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-security-token" in headers["authorization"]
    assert "S3CRET" not in str(headers)
    others = []
    for method, path, query, now in (("PUT", "/b/k", "a=1", 0), ("GET", "/b/l", "a=1", 0), ("GET", "/b/k", "a=2", 0)):
        changed = {"host": "h", "range": " bytes=0-1  "}
        signing.sign(made, method, path, query, changed, signing.EMPTY, 1700000000 + now)
        others.append(changed["authorization"])
    assert len({headers["authorization"], *others}) == 4


@pytest.mark.parametrize("body", [
    b"", b"no xml", b"<a>", b"<!DOCTYPE a [<!ENTITY b 'cc'>]><a>&b;</a>",
    b"<ListBucketResult><Contents><Key>elsewhere</Key></Contents></ListBucketResult>",
    b"<ListBucketResult><CommonPrefixes><Prefix>../</Prefix></CommonPrefixes></ListBucketResult>",
])
def test_answers_that_no_store_gives_are_errors(monkeypatch, body):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", "http://h:1")
    monkeypatch.setattr(s3, "request", lambda *_, **__: Answer(200, {}, body))
    with pytest.raises(MoxFileReadException):
        list(s3.pages(Location("obs://b/data"), "data/"))


def test_a_listing_that_does_not_move_on_ends(monkeypatch):
    keys(monkeypatch)
    monkeypatch.setenv("S3_ENDPOINT", "http://h:1")
    body = (b"<L xmlns='x'><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
            b"<Contents><Key>d/a%0Ab</Key><Size>3</Size><ETag>\"e\"</ETag><LastModified>2024-01-02T03:04:05.5Z</LastModified></Contents></L>")
    monkeypatch.setattr(s3, "request", lambda *_, **__: Answer(200, {}, body))
    found = [one for page in s3.pages(Location("obs://b/d"), "d/") for one in page]
    assert len(found) == 2 and (found[0].name, found[0].size, found[0].etag) == ("a\nb", 3, "e")
    assert found[0].mtime_ns == 1704164645500000000
