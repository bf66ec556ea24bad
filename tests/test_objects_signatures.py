"""What a signature of the object store must cover, and which versions of signatures the store accepts."""
import base64
import hashlib
import hmac
import time
import urllib.parse

import pytest
from botocore.exceptions import ClientError

from s3 import Raw, body, bucket, client, code_of, serving


def presigned_v2(raw, method, resource, dialect):
    """The query of a URL that is signed with version 2 and valid for a minute."""
    expires = str(int(time.time()) + 60)
    text = f"{method}\n\n\n{expires}\n{resource}"
    signature = base64.b64encode(hmac.new(raw.s3["secret_key"].encode(), text.encode(), hashlib.sha1).digest()).decode()
    key = "AWSAccessKeyId" if dialect == "AWS" else "AccessKeyId"
    return urllib.parse.urlencode({key: raw.s3["access_key"], "Expires": expires, "Signature": signature})


@pytest.mark.parametrize("dialect, header", [("AWS", "x-obs-copy-source"), ("OBS", "x-amz-copy-source"), ("AWS", "X-Obs-Metadata-Directive"),
                                             ("OBS", "x-amz-meta-a"), ("AWS", "x-obs-acl")])
def test_v2_presigned_put_with_header_of_other_dialect_is_refused(store, b, dialect, header):
    s3, raw = client(store), Raw(store)
    s3.put_object(Bucket=b, Key="secret", Body=b"for the owner alone")
    query = presigned_v2(raw, "PUT", f"/{b}/k", dialect)
    status, answer, _ = raw.send("PUT", f"/{b}/k?{query}", {header: f"/{b}/secret"})
    assert status == 403 and b"<Code>AccessDenied</Code>" in answer
    assert f"<HeadersNotSigned>{header.lower()}</HeadersNotSigned>".encode() in answer
    with pytest.raises(ClientError) as error:
        s3.head_object(Bucket=b, Key="k")
    assert code_of(error) == "404"
    assert raw.send("PUT", f"/{b}/k?{query}", {}, b"body")[0] == 200
    assert body(s3, b, "k") == b"body"


@pytest.mark.parametrize("scheme, header", [("AWS", "x-obs-copy-source"), ("OBS", "x-amz-copy-source")])
def test_v2_signed_put_with_header_of_other_dialect_is_refused(store, b, scheme, header):
    s3, raw = client(store), Raw(store)
    s3.put_object(Bucket=b, Key="secret", Body=b"for the owner alone")
    status, answer, _ = raw.v2("PUT", f"/{b}/k", b"", scheme, {header: f"/{b}/secret"})
    assert status == 403 and b"HeadersNotSigned" in answer


def test_v2_signature_does_not_cover_store_administration(store, b):
    raw = Raw(store)
    grant = b"<NewKey><User>thief</User><Grant><Bucket>*</Bucket><Prefix></Prefix><Write>true</Write></Grant></NewKey>"
    before = raw.v4("GET", "/", "UNSIGNED-PAYLOAD", {}, b"")[0]
    for scheme in "AWS", "OBS":
        for method, target, resource in (("POST", "/?muster-keys", "/"), ("GET", "/?muster-keys", "/"), ("DELETE", "/?muster-keys=A", "/"),
                                         ("GET", "/?muster-near", "/"), ("GET", f"/{b}?muster-stamp", f"/{b}"),
                                         ("POST", f"/{b}?muster-adopt", f"/{b}"), ("GET", f"/{b}?list-type=2&muster-near", f"/{b}")):
            status, answer, _ = raw.v2(method, target, grant if method == "POST" else b"", scheme, resource=resource)
            assert status == 403 and b"SecretKey" not in answer and b"AWS4-HMAC-SHA256" in answer, (scheme, target, answer)
    assert before == 200
    assert "thief" not in (store.data / "objects/.muster/keys.json").read_text()


def test_v2_signed_listing_of_version_2_still_works(store, b):
    client(store).put_object(Bucket=b, Key="k", Body=b"")
    status, answer, _ = Raw(store).v2("GET", f"/{b}?list-type=2&prefix=k", b"", "AWS", resource=f"/{b}")
    assert status == 200 and b"<Key>k</Key>" in answer


def test_v4_presigned_put_with_unsigned_extension_header_is_refused(store, b):
    s3, raw = client(store), Raw(store)
    s3.put_object(Bucket=b, Key="secret", Body=b"for the owner alone")
    url = s3.generate_presigned_url("put_object", Params={"Bucket": b, "Key": "k"})
    target = url[url.index(f"/{b}/k"):]
    for header in "x-amz-copy-source", "x-obs-copy-source", "X-Amz-Acl":
        status, answer, _ = raw.send("PUT", target, {header: f"/{b}/secret"})
        assert status == 403 and b"There were headers present in the request which were not signed" in answer
        assert f"<HeadersNotSigned>{header.lower()}</HeadersNotSigned>".encode() in answer
    assert raw.send("PUT", target + "&tagging", {})[0] == 403
    assert raw.send("PUT", target, {}, b"body")[0] == 200


def test_two_mechanisms_in_one_request_are_refused(store, b):
    raw = Raw(store)
    query = presigned_v2(raw, "GET", f"/{b}", "AWS")
    status, answer, _ = raw.v2("GET", f"/{b}?{query}", b"", "AWS", resource=f"/{b}")
    assert status == 400 and b"Only one auth mechanism allowed" in answer


def test_store_sigv2_off_refuses_every_signature_of_version_2(scratch):
    config = scratch / "muster.yaml"
    config.write_text("store_sigv2: off\n")
    for flags in ("--store-sigv2", "off"), ("--config", config):
        with serving("--store-sync", "none", *flags) as server:
            s3, raw = client(server), Raw(server)
            b = bucket(s3)
            s3.put_object(Bucket=b, Key="k", Body=b"body")
            assert body(s3, b, "k") == b"body"
            for scheme in "AWS", "OBS":
                status, answer, _ = raw.v2("GET", f"/{b}/k", b"", scheme)
                assert status == 400 and b"Please use AWS4-HMAC-SHA256" in answer
                query = presigned_v2(raw, "GET", f"/{b}/k", scheme)
                status, answer, _ = raw.send("GET", f"/{b}/k?{query}", {})
                assert status == 400 and b"<Code>InvalidRequest</Code>" in answer
