"""Multipart uploads, checksums, appending and the other forms of requests, against the running server."""
import base64
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.client
import os
import struct
import time
import urllib.parse
import zlib

import pytest
from botocore.exceptions import ClientError

from conftest import wait_until
from s3 import Raw, body, bucket, client, code_of, keys, serving

MIB = 1 << 20


@pytest.fixture(scope="module")
def store():
    with serving("--s3-domain", "obs.test") as server:
        yield server


def put_parts(s3, b, key, parts, **create):
    """Uploads the parts, the last first, and returns the upload's id and what completing it needs."""
    upload = s3.create_multipart_upload(Bucket=b, Key=key, **create)["UploadId"]
    done = {}
    for number, data in reversed(list(enumerate(parts, 1))):
        done[number] = s3.upload_part(Bucket=b, Key=key, UploadId=upload, PartNumber=number, Body=data)["ETag"]
    return upload, {"Parts": [{"PartNumber": n, "ETag": done[n]} for n in sorted(done)]}


def test_parts_in_any_order_become_one_object(s3, b):
    for key, sizes in (("even", [5 * MIB, 5 * MIB, 5 * MIB, 17]), ("uneven", [5 * MIB, 6 * MIB, 7 * MIB]), ("one", [10]),
                       ("growing", [6 * MIB, 5 * MIB, 1])):
        parts = [os.urandom(size) for size in sizes]
        upload, order = put_parts(s3, b, key, parts, Metadata={"m": key}, ContentType="text/parts")
        assert key not in keys(s3, b), "nothing is visible before the end"
        done = s3.complete_multipart_upload(Bucket=b, Key=key, UploadId=upload, MultipartUpload=order)
        digest = hashlib.md5(b"".join(hashlib.md5(p).digest() for p in parts)).hexdigest()
        assert done["ETag"] == f'"{digest}-{len(parts)}"'
        got = s3.get_object(Bucket=b, Key=key)
        assert got["Body"].read() == b"".join(parts), key
        assert (got["Metadata"], got["ContentType"], got["ETag"]) == ({"m": key}, "text/parts", done["ETag"])
        again = s3.complete_multipart_upload(Bucket=b, Key=key, UploadId=upload, MultipartUpload=order)
        assert again["ETag"] == done["ETag"], "who did not hear the answer may ask again"


def test_single_parts_of_an_object_can_be_read(s3, b):
    parts = [os.urandom(size) for size in (5 * MIB, 5 * MIB, 6 * MIB, 17)]
    upload, order = put_parts(s3, b, "k", parts, Metadata={"m": "k"})
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload=order)
    at = 0
    for number, part in enumerate(parts, 1):
        got = s3.get_object(Bucket=b, Key="k", PartNumber=number)
        assert got["Body"].read() == part
        assert (got["PartsCount"], got["ContentRange"]) == (4, f"bytes {at}-{at + len(part) - 1}/{sum(map(len, parts))}")
        head = s3.head_object(Bucket=b, Key="k", PartNumber=number)
        assert (head["PartsCount"], head["ContentLength"], head["Metadata"]) == (4, len(part), {"m": "k"})
        assert head["ResponseMetadata"]["HTTPStatusCode"] == 206
        at += len(part)
    for number, status in ((5, 416), (0, 400), (10001, 400)):
        with pytest.raises(ClientError) as error:
            s3.head_object(Bucket=b, Key="k", PartNumber=number)
        assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket=b, Key="k", PartNumber=5)
    assert code_of(error) == "InvalidPartNumber"
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket=b, Key="k", PartNumber=1, Range="bytes=0-1")
    assert code_of(error) == "InvalidRequest"
    assert "PartsCount" not in s3.get_object(Bucket=b, Key="k")


def test_object_of_one_piece_is_its_first_part(s3, b):
    s3.put_object(Bucket=b, Key="put", Body=b"whole")
    upload, order = put_parts(s3, b, "parts", [os.urandom(5 * MIB), b"end"])
    s3.complete_multipart_upload(Bucket=b, Key="parts", UploadId=upload, MultipartUpload=order)
    s3.copy_object(Bucket=b, Key="copy", CopySource={"Bucket": b, "Key": "parts"})
    for key in "put", "copy":
        got = s3.get_object(Bucket=b, Key=key, PartNumber=1)
        assert got["Body"].read() == body(s3, b, key) and "PartsCount" not in got
        with pytest.raises(ClientError) as error:
            s3.get_object(Bucket=b, Key=key, PartNumber=2)
        assert code_of(error) == "InvalidPartNumber"


def test_last_upload_of_a_part_counts(s3, b):
    first, second = os.urandom(5 * MIB), os.urandom(5 * MIB)
    upload, order = put_parts(s3, b, "k", [first, b"end"])
    etag = s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=1, Body=second)["ETag"]
    with pytest.raises(ClientError) as error:
        s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload=order)
    assert code_of(error) == "InvalidPart"
    order["Parts"][0]["ETag"] = etag
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload=order)
    assert body(s3, b, "k") == second + b"end"


def test_concurrent_parts(store, s3, b):
    parts = [os.urandom(5 * MIB) for _ in range(8)] + [os.urandom(12345)]
    upload = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]

    def send(number):
        # Each twice: the second of a number must not tear the first.
        own = client(store)
        etags = [own.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=number, Body=parts[number - 1])["ETag"] for _ in "ab"]
        assert etags[0] == etags[1]
        return {"PartNumber": number, "ETag": etags[0]}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        done = list(pool.map(send, range(1, len(parts) + 1)))
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": done})
    assert body(s3, b, "k") == b"".join(parts)


def test_errors_of_complete_multipart_upload_have_s3_names(s3, b):
    upload, order = put_parts(s3, b, "k", [b"small", b"last"])

    def complete(parts, upload=upload):
        with pytest.raises(ClientError) as error:
            s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": parts})
        return code_of(error)
    assert complete(order["Parts"]) == "EntityTooSmall"
    assert complete(order["Parts"][::-1]) == "InvalidPartOrder"
    assert complete([{"PartNumber": 9, "ETag": '"x"'}]) == "InvalidPart"
    assert complete(order["Parts"], "0" * 32) == "NoSuchUpload"
    listed = s3.list_parts(Bucket=b, Key="k", UploadId=upload)["Parts"]
    assert [(p["PartNumber"], p["Size"]) for p in listed] == [(1, 5), (2, 4)]
    assert [u["UploadId"] for u in s3.list_multipart_uploads(Bucket=b)["Uploads"]] == [upload]
    s3.abort_multipart_upload(Bucket=b, Key="k", UploadId=upload)
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=b)
    assert complete(order["Parts"]) == "NoSuchUpload"
    with pytest.raises(ClientError) as error:
        s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=1, Body=b"late")
    assert code_of(error) == "NoSuchUpload"


def test_uploads_are_listed_in_pages_and_groups(s3, b):
    begun = [(key, s3.create_multipart_upload(Bucket=b, Key=key)["UploadId"]) for key in ("a", "a", "d/x", "d/y", "ü z")]
    for size in (1, 2, 1000):
        pages = s3.get_paginator("list_multipart_uploads").paginate(Bucket=b, PaginationConfig={"PageSize": size})
        assert sorted((u["Key"], u["UploadId"]) for page in pages for u in page.get("Uploads", [])) == sorted(begun), size
    page = s3.list_multipart_uploads(Bucket=b, Delimiter="/")
    assert [p["Prefix"] for p in page["CommonPrefixes"]] == ["d/"] and [u["Key"] for u in page["Uploads"]] == ["a", "a", "ü z"]
    assert [u["Key"] for u in s3.list_multipart_uploads(Bucket=b, Prefix="d/")["Uploads"]] == ["d/x", "d/y"]


def test_parts_are_copied_from_objects(s3, b):
    data = os.urandom(11 * MIB)
    s3.put_object(Bucket=b, Key="from ü", Body=data)
    upload = s3.create_multipart_upload(Bucket=b, Key="to")["UploadId"]
    parts = []
    for number, span in ((1, f"bytes=0-{6 * MIB - 1}"), (2, f"bytes={6 * MIB}-{11 * MIB - 1}")):
        copied = s3.upload_part_copy(Bucket=b, Key="to", UploadId=upload, PartNumber=number, CopySource={"Bucket": b, "Key": "from ü"},
                                     CopySourceRange=span)
        parts.append({"PartNumber": number, "ETag": copied["CopyPartResult"]["ETag"]})
    with pytest.raises(ClientError) as error:
        s3.upload_part_copy(Bucket=b, Key="to", UploadId=upload, PartNumber=3, CopySource={"Bucket": b, "Key": "from ü"},
                            CopySourceRange=f"bytes=0-{99 * MIB}")
    assert code_of(error) == "InvalidRange"
    s3.complete_multipart_upload(Bucket=b, Key="to", UploadId=upload, MultipartUpload={"Parts": parts})
    assert body(s3, b, "to") == data


@pytest.mark.parametrize("algorithm", ["CRC32", "CRC32C", "SHA1", "SHA256"])
def test_checksums_are_stored_and_verified(s3, b, algorithm):
    if algorithm == "CRC32C":
        pytest.importorskip("awscrt")
    s3.put_object(Bucket=b, Key="k", Body=b"hello", ChecksumAlgorithm=algorithm)
    head = s3.head_object(Bucket=b, Key="k", ChecksumMode="ENABLED")
    assert head["Checksum" + algorithm]
    s3.get_object(Bucket=b, Key="k", ChecksumMode="ENABLED")["Body"].read()  # boto3 compares
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=b, Key="bad", Body=b"hello", **{"Checksum" + algorithm: head["Checksum" + algorithm][::-1].strip("=").ljust(8, "A")})
    assert code_of(error) in ("BadDigest", "InvalidRequest")
    assert "bad" not in keys(s3, b)


# -- requests made by hand

@pytest.mark.parametrize("kind", ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                                  "STREAMING-UNSIGNED-PAYLOAD-TRAILER"])
def test_bodies_in_signed_and_unsigned_chunks(store, s3, b, kind):
    raw, data = Raw(store), b"payload" * 30000
    crc = base64.b64encode(struct.pack(">I", zlib.crc32(data))).decode()
    headers = {"x-amz-decoded-content-length": str(len(data)), "content-encoding": "gzip,aws-chunked"}
    trailer = None
    if kind.endswith("TRAILER"):
        headers["x-amz-trailer"], trailer = "x-amz-checksum-crc32", f"x-amz-checksum-crc32:{crc}"
    status, answer, _ = raw.v4("PUT", f"/{b}/chunked", kind, headers, data, 64 << 10, trailer)
    assert status == 200, answer
    got = s3.get_object(Bucket=b, Key="chunked")
    assert got["Body"].read() == data and got["ContentEncoding"] == "gzip"
    status, answer, _ = raw.v4("PUT", f"/{b}/spoiled", kind, headers, data, 64 << 10, trailer, spoil=True)
    assert status in (400, 403) and (b"SignatureDoesNotMatch" in answer or b"BadDigest" in answer)
    headers["x-amz-decoded-content-length"] = str(len(data) + 1)
    status, answer, _ = raw.v4("PUT", f"/{b}/short", kind, headers, data, 64 << 10, trailer)
    assert status == 400 and b"IncompleteBody" in answer
    assert keys(s3, b) == ["chunked"]


def test_body_that_differs_from_its_signature_is_refused(store, s3, b):
    raw = Raw(store)
    status, answer, _ = raw.v4("PUT", f"/{b}/k", hashlib.sha256(b"other").hexdigest(), {}, b"payload")
    assert status == 400 and b"XAmzContentSHA256Mismatch" in answer
    status, answer, _ = raw.v4("PUT", f"/{b}/k", "UNSIGNED-PAYLOAD", {"content-md5": base64.b64encode(b"0" * 16).decode()}, b"payload")
    assert status == 400 and b"BadDigest" in answer
    assert keys(s3, b) == []


def test_objects_grow_by_appending(store, s3, b):
    raw, position = Raw(store), 0
    for piece in (b"one", b"-two", b"-three"):
        target = f"/{b}/log?append&position={position}"
        status, answer, headers = raw.v2("POST", target, piece)
        assert status == 200, answer
        position += len(piece)
        assert headers["x-obs-next-append-position"] == str(position)
    assert body(s3, b, "log") == b"one-two-three"
    assert (store.data / "objects" / b / "log").read_bytes() == b"one-two-three"
    status, answer, _ = raw.v2("POST", f"/{b}/log?append&position=5", b"x")
    assert status == 409 and b"PositionNotEqualToLength" in answer
    s3.put_object(Bucket=b, Key="whole", Body=b"x")
    status, answer, _ = raw.v2("POST", f"/{b}/whole?append&position=1", b"x")
    assert status == 409 and b"ObjectNotAppendable" in answer
    # A tail that was never acknowledged is not part of the object, and the next piece takes its place.
    with open(store.data / "objects" / b / "log", "ab") as file:
        file.write(b"torn tail")
    assert body(s3, b, "log") == b"one-two-three"
    assert raw.v2("POST", f"/{b}/log?append&position={position}", b"!")[0] == 200
    assert body(s3, b, "log") == b"one-two-three!"


@pytest.mark.parametrize("scheme", ["AWS", "OBS"])
def test_signature_version_2_with_both_header_families(store, s3, b, scheme):
    raw, prefix = Raw(store), "x-obs-" if scheme == "OBS" else "x-amz-"
    key = urllib.parse.quote("schlüssel und+mehr")
    status, answer, _ = raw.v2("PUT", f"/{b}/{key}", b"by hand", scheme, {prefix + "meta-colour": "blue", "Content-Type": "text/own"})
    assert status == 200, answer
    head = s3.head_object(Bucket=b, Key="schlüssel und+mehr")
    assert head["Metadata"] == {"colour": "blue"} and head["ContentType"] == "text/own"
    status, answer, headers = raw.v2("GET", f"/{b}/{key}", b"", scheme)
    assert (status, answer, headers[prefix + "meta-colour"]) == (200, b"by hand", "blue")
    status, answer, _ = raw.v2("PUT", f"/{b}/{key}?metadata", b"", scheme, {prefix + "meta-shape": "round", prefix + "metadata-directive": "REPLACE_NEW"})
    assert status == 200, answer
    assert s3.head_object(Bucket=b, Key="schlüssel und+mehr")["Metadata"] == {"colour": "blue", "shape": "round"}
    assert raw.v2("GET", f"/{b}?location", b"", scheme)[0] == 200
    host = f"{b}.obs.test"
    assert raw.v2("GET", f"/{key}", b"", scheme, host=host, resource=f"/{b}/{key}")[1] == b"by hand"
    assert b"<Key>" in raw.v2("GET", "/", b"", scheme, host=host, resource=f"/{b}/")[1]
    status, _, headers = raw.send("HEAD", "/?apiversion", {}, host=host)
    assert status == 200 and headers["x-obs-api"] == "3.0"


def test_signature_version_2_of_a_bucket_with_and_without_slash(store, s3, b):
    raw, made = Raw(store), f"{b}-made"
    for resource in (f"/{made}", f"/{made}/"):
        assert raw.v2("PUT", f"/{made}", b"", "AWS", resource=resource)[0] == 200
        assert raw.v2("GET", f"/{made}/?location", b"", "AWS", resource=resource + "?location")[0] == 200
        assert raw.v2("GET", f"/{made}?location", b"", "AWS", resource=resource + "?location")[0] == 200
        expires = str(int(time.time()) + 300)
        signature = hmac.new(raw.s3["secret_key"].encode(), f"GET\n\n\n{expires}\n{resource}".encode(), hashlib.sha1).digest()
        query = urllib.parse.urlencode({"AWSAccessKeyId": raw.s3["access_key"], "Expires": expires, "Signature": base64.b64encode(signature)})
        assert b"<ListBucketResult" in raw.send("GET", f"/{made}?{query}", {})[1]
        assert raw.send("GET", f"/{b}?{query}", {})[0] == 403, "it is another bucket's"
    older = client(store, signature_version="s3")
    assert "Contents" not in older.list_objects(Bucket=made)
    older.delete_bucket(Bucket=made)


def test_old_clocks_and_changed_requests_are_refused(store, b):
    raw = Raw(store)
    status, answer, _ = raw.v2("GET", f"/{b}?uploads", b"", "AWS", resource=f"/{b}")
    assert status == 403 and b"SignatureDoesNotMatch" in answer
    headers = {"Authorization": f"AWS {raw.s3['access_key']}:x", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"}
    status, answer, _ = raw.send("GET", f"/{b}", headers)
    assert status == 403 and b"RequestTimeTooSkewed" in answer


def being_received(store):
    """What the server has open in its folder for bodies that are coming, files without a name too."""
    tmp = os.path.realpath(store.data / "objects/.muster/tmp") + "/"
    links = []
    for entry in os.scandir(f"/proc/{store.endpoint()['pid']}/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            links.append(os.readlink(entry.path))
    return [link for link in links if link.startswith(tmp) and link.count("/") > tmp.count("/")]


def test_aborted_upload_leaves_nothing(store, s3, b):
    raw = Raw(store)
    connection = http.client.HTTPConnection(raw.host, timeout=60)
    url = s3.generate_presigned_url("put_object", Params={"Bucket": b, "Key": "cut"})
    connection.putrequest("PUT", url[url.index("/", 8):])
    connection.putheader("Content-Length", str(10 * MIB))
    connection.endheaders(os.urandom(3 * MIB))
    wait_until(lambda: being_received(store), 60, "the upload to begin")
    connection.close()
    wait_until(lambda: not being_received(store), 60, "what came of it to be removed")
    assert keys(s3, b) == []
    assert not list((store.data / "objects/.muster/tmp").glob("*/*"))
