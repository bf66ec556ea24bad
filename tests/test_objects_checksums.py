"""Checksums of whole objects and of their parts, and bodies whose length is not said."""
import base64
import hashlib
import http.client
import os
import re
import urllib.parse
import zlib

import pytest

from s3 import Raw, body, client, keys

MIB = 1 << 20
PARTS = [b"A" * 5 * MIB, b"B" * 5 * MIB, b"end"]


def crc32(data):
    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


def sha256(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def composite(digest, parts):
    return digest(b"".join(base64.b64decode(digest(part)) for part in parts)) + f"-{len(parts)}"


class Upload:
    """A multipart upload, made by plain requests: client libraries know only the checksums of their time."""

    def __init__(self, raw, b, algorithm="", form="", with_parts=True):
        self.raw, self.b, self.algorithm = raw, b, algorithm
        headers = {"x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": form} if algorithm else {}
        self.id = text(raw.v4("POST", f"/{b}/k?uploads", "UNSIGNED-PAYLOAD", headers, b""), "UploadId")
        digest = sha256 if algorithm == "SHA256" else crc32
        self.order = ""
        for number, part in enumerate(PARTS, 1):
            headers = {f"x-amz-checksum-{algorithm.lower()}": digest(part)} if algorithm and with_parts else {}
            status, _, answer = raw.v4("PUT", f"/{b}/k?partNumber={number}&uploadId={self.id}", "UNSIGNED-PAYLOAD", headers, part)
            assert status == 200
            self.order += f"<Part><PartNumber>{number}</PartNumber><ETag>{answer['ETag']}</ETag></Part>"

    def complete(self, **headers):
        headers = {"x-amz-" + name.replace("_", "-"): value for name, value in headers.items()}
        return self.raw.v4("POST", f"/{self.b}/k?uploadId={self.id}", "UNSIGNED-PAYLOAD", headers,
                           f"<CompleteMultipartUpload>{self.order}</CompleteMultipartUpload>".encode())


def text(answer, element):
    found = re.search(f"<{element}>(.*?)</{element}>".encode(), answer[1])
    return found[1].decode() if found else ""


KINDS = {"composite sha256": ("SHA256", "COMPOSITE", composite(sha256, PARTS)), "composite crc32": ("CRC32", "COMPOSITE", composite(crc32, PARTS)),
         "full crc32": ("CRC32", "FULL_OBJECT", crc32(b"".join(PARTS)))}
ASKS = {"x-amz-checksum-mode": "ENABLED"}


@pytest.mark.parametrize("kind", KINDS)
def test_complete_refuses_a_wrong_checksum_of_the_whole_object(raw, s3, b, kind):
    algorithm, form, right = KINDS[kind]
    header, other = "checksum_" + algorithm.lower(), (composite(sha256, PARTS[:2]) if algorithm == "SHA256" else crc32(b"other"))
    made = Upload(raw, b, algorithm, form)
    for wrong in (other, "bad", right[:-1] + "9"):
        answer = made.complete(**{header: wrong})
        assert (answer[0], text(answer, "Code")) == (400, "BadDigest"), wrong
        assert keys(s3, b) == []
    done = made.complete(**{header: right})
    assert (done[0], text(done, "Checksum" + algorithm), text(done, "ChecksumType")) == (200, right, form)
    head = raw.v4("HEAD", f"/{b}/k", "UNSIGNED-PAYLOAD", ASKS, b"")[2]
    assert (head["x-amz-checksum-" + algorithm.lower()], head["x-amz-checksum-type"]) == (right, form)
    assert body(s3, b, "k") == b"".join(PARTS)
    again = made.complete(**{header: other})
    assert (again[0], text(again, "Code")) == (400, "BadDigest")
    assert made.complete(**{header: right})[0] == 200


def test_complete_refuses_another_kind_or_type_than_the_upload_has(raw, s3, b):
    made = Upload(raw, b, "SHA256", "COMPOSITE")
    for given in (dict(checksum_crc32=crc32(b"".join(PARTS))), dict(checksum_type="FULL_OBJECT"),
                  dict(checksum_sha256=composite(sha256, PARTS), checksum_type="FULL_OBJECT"),
                  dict(checksum_sha256=composite(sha256, PARTS), checksum_crc32=crc32(b"x"))):
        answer = made.complete(**given)
        assert (answer[0], text(answer, "Code")) == (400, "InvalidRequest"), given
    assert keys(s3, b) == []


@pytest.mark.parametrize("algorithm, form", [("", ""), ("CRC32", "FULL_OBJECT")])
def test_complete_proves_a_checksum_although_the_parts_came_without(raw, s3, b, algorithm, form):
    made = Upload(raw, b, algorithm, form, with_parts=False)
    answer = made.complete(checksum_crc32=crc32(b"x"))
    assert (answer[0], text(answer, "Code")) == (400, "BadDigest") and keys(s3, b) == []
    assert made.complete(checksum_crc32=crc32(b"".join(PARTS)))[0] == 200
    head = raw.v4("HEAD", f"/{b}/k", "UNSIGNED-PAYLOAD", ASKS, b"")[2]
    assert head["x-amz-checksum-crc32"] == crc32(b"".join(PARTS)) and body(s3, b, "k") == b"".join(PARTS)


@pytest.mark.parametrize("kind", KINDS)
def test_get_of_a_part_has_the_checksum_of_the_part(raw, b, kind):
    algorithm, form, _ = KINDS[kind]
    assert Upload(raw, b, algorithm, form).complete()[0] == 200
    digest = sha256 if algorithm == "SHA256" else crc32
    for number, part in enumerate(PARTS, 1):
        for method in "GET", "HEAD":
            status, got, head = raw.v4(method, f"/{b}/k?partNumber={number}", "UNSIGNED-PAYLOAD", ASKS, b"")
            assert (status, got) == (206, part if method == "GET" else b"")
            assert (head["x-amz-checksum-" + algorithm.lower()], head["x-amz-checksum-type"]) == (digest(part), form)
            assert head["x-amz-mp-parts-count"] == "3"


def test_malformed_checksum_is_a_bad_digest_and_two_are_an_invalid_request(store, b):
    raw = Raw(store)
    status, answer, _ = raw.v4("PUT", f"/{b}/k", "UNSIGNED-PAYLOAD", {"x-amz-checksum-sha256": "bad"}, b"body")
    assert status == 400 and b"<Code>BadDigest</Code>" in answer
    two = {"x-amz-checksum-sha256": sha256(b"body"), "x-amz-checksum-crc32": crc32(b"body")}
    status, answer, _ = raw.v4("PUT", f"/{b}/k", "UNSIGNED-PAYLOAD", two, b"body")
    assert status == 400 and b"<Code>InvalidRequest</Code>" in answer
    assert keys(client(store), b) == []


def test_put_without_any_length_is_refused_and_keeps_the_object(raw, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"kept")
    made = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]
    for method, target in (("PUT", f"/{b}/k"), ("PUT", f"/{b}/k?partNumber=1&uploadId={made}"), ("POST", f"/{b}/k?append&position=4")):
        send, length = raw.send, []

        def without_length(method, target, headers, data=b"", host=None):
            connection = http.client.HTTPConnection(raw.host, timeout=60)
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": raw.host, **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(data)
            response = connection.getresponse()
            length.append(response.headers["Connection"])
            answer = response.status, response.read(), response.headers
            connection.close()
            return answer
        raw.send = without_length
        status, answer, _ = raw.v2(method, target, b"new bytes", "AWS")
        raw.send = send
        assert (status, length) == (411, ["close"]) and b"<Code>MissingContentLength</Code>" in answer
    assert body(s3, b, "k") == b"kept"
    assert "Parts" not in s3.list_parts(Bucket=b, Key="k", UploadId=made)


def test_list_buckets_honours_prefix_page_size_and_region(raw, s3):
    prefix = "page-" + os.urandom(4).hex()
    names = [f"{prefix}-{i}" for i in range(5)]
    for name in names[:4]:
        s3.create_bucket(Bucket=name)
    s3.create_bucket(Bucket=names[4], CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    def buckets(query):
        answer = raw.v4("GET", "/?" + query, "UNSIGNED-PAYLOAD", {}, b"")
        assert answer[0] == 200
        return re.findall("<Name>(.*?)</Name>", answer[1].decode()), answer
    found, answer = buckets(f"prefix={prefix}")
    assert found == names and text(answer, "Prefix") == prefix and text(answer, "ContinuationToken") == ""
    token, pages = "", []
    while True:
        found, answer = buckets(f"max-buckets=2&prefix={prefix}" + (f"&continuation-token={urllib.parse.quote(token, safe='')}" if token else ""))
        pages.append(found)
        token = text(answer, "ContinuationToken")
        if not token:
            break
    assert pages == [names[:2], names[2:4], names[4:]]
    assert buckets(f"bucket-region=eu-west-1&prefix={prefix}")[0] == names[4:]
    assert buckets(f"bucket-region=us-east-1&prefix={prefix}")[0] == names[:4]
    for query in "max-buckets=0", "max-buckets=10001", "continuation-token=%25":
        answer = raw.v4("GET", "/?" + query, "UNSIGNED-PAYLOAD", {}, b"")
        assert (answer[0], text(answer, "Code")) == (400, "InvalidArgument"), query
