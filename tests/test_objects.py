"""The embedded object store, through boto3 and through its plain files."""
import concurrent.futures
import hashlib
import json
import os
import urllib.error
import urllib.parse
import urllib.request

import pytest
from botocore.exceptions import ClientError

from conftest import wait_until
from s3 import AWKWARD, HOSTILE, body, bucket, client, code_of, keys


def test_endpoint_file_has_the_address_of_the_store(store):
    s3 = store.endpoint()["s3"]
    assert set(s3) == {"endpoint", "access_key", "secret_key", "region"}
    assert s3["endpoint"].startswith("http://127.0.0.1:")


def test_object_is_returned_with_all_metadata(s3, b):
    put = s3.put_object(Bucket=b, Key="k", Body=b"hello", ContentType="text/x-test", CacheControl="max-age=5", ContentEncoding="gzip",
                        ContentDisposition="attachment", ContentLanguage="zh", Metadata={"colour": "blue", "n": "1"}, Tagging="a=1&b=%20x")
    assert put["ETag"] == '"%s"' % hashlib.md5(b"hello").hexdigest()
    got = s3.get_object(Bucket=b, Key="k")
    assert got["Body"].read() == b"hello"
    head = s3.head_object(Bucket=b, Key="k")
    for answer in (got, head):
        assert (answer["ContentLength"], answer["ContentType"], answer["CacheControl"], answer["ContentEncoding"]) == \
            (5, "text/x-test", "max-age=5", "gzip")
        assert (answer["ContentDisposition"], answer["ContentLanguage"]) == ("attachment", "zh")
        assert answer["Metadata"] == {"colour": "blue", "n": "1"} and answer["ETag"] == put["ETag"]
    assert got["TagCount"] == 2
    assert s3.get_object_tagging(Bucket=b, Key="k")["TagSet"] == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": " x"}]


def test_any_key_is_accepted_and_listed_in_byte_order(s3, b):
    every = sorted(set(AWKWARD + HOSTILE), key=lambda k: k.encode())
    for key in every:
        s3.put_object(Bucket=b, Key=key, Body=key.encode())
    for key in every:
        assert body(s3, b, key) == key.encode(), key
        assert s3.head_object(Bucket=b, Key=key)["ContentLength"] == len(key.encode())
    assert keys(s3, b) == every
    assert keys(s3, b, PaginationConfig={"PageSize": 7}) == every
    v1 = [item["Key"] for page in s3.get_paginator("list_objects").paginate(Bucket=b, PaginationConfig={"PageSize": 5})
          for item in page.get("Contents", [])]
    assert v1 == every
    gone = s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": k} for k in every]})
    assert len(gone["Deleted"]) == len(every) and "Errors" not in gone
    assert keys(s3, b) == []
    s3.delete_bucket(Bucket=b)


def test_no_key_leaves_its_bucket(store, s3, b):
    (store.data / "objects/victim").write_text("untouched")
    for key in ("../victim", "x/../../victim", "..", "/" + str(store.data / "objects/victim")):
        s3.put_object(Bucket=b, Key=key, Body=b"hostile")
    assert (store.data / "objects/victim").read_text() == "untouched"
    for name in ("..", ".muster", "a/../b", "%2e%2e"):
        with pytest.raises((ClientError, Exception)):
            s3.list_objects_v2(Bucket=name)
    os.symlink("/etc", store.data / "objects" / b / "etc")
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket=b, Key="etc/passwd")
    assert code_of(error) == "NoSuchKey"
    with pytest.raises(ClientError):
        s3.put_object(Bucket=b, Key="etc/muster-was-here", Body=b"")
    assert not os.path.exists("/etc/muster-was-here")


def test_bucket_is_a_readable_and_writable_folder(store, s3, b):
    folder = store.data / "objects" / b
    s3.put_object(Bucket=b, Key="data/train.csv", Body=b"1,2,3")
    assert (folder / "data/train.csv").read_bytes() == b"1,2,3"
    (folder / "copied").mkdir()
    (folder / "copied/in.txt").write_bytes(b"by cp")
    (store.data / "objects/made-by-hand").mkdir()
    assert keys(s3, b) == ["copied/in.txt", "data/train.csv"]
    first = s3.get_object(Bucket=b, Key="copied/in.txt")
    assert first["Body"].read() == b"by cp" and first["ETag"].endswith('-1"')
    (folder / "copied/in.txt").write_bytes(b"changed")
    assert s3.head_object(Bucket=b, Key="copied/in.txt")["ETag"] != first["ETag"]
    (folder / "data/train.csv").write_bytes(b"edited in place")
    edited = s3.get_object(Bucket=b, Key="data/train.csv")
    assert edited["Body"].read() == b"edited in place" and edited["ETag"] != '"%s"' % hashlib.md5(b"1,2,3").hexdigest()
    assert "made-by-hand" in [x["Name"] for x in s3.list_buckets()["Buckets"]]
    s3.delete_bucket(Bucket="made-by-hand")


def test_file_that_prevents_bucket_removal_is_named(store, s3, b):
    folder = store.data / "objects" / b
    (folder / "sub").mkdir()
    for name in ("sub/pipe", "z-link", "%=weird"):
        os.mkfifo(folder / name) if "pipe" in name else os.symlink("nowhere", folder / name) if "link" in name else (folder / name).touch()
    assert keys(s3, b) == []
    for name in ("%=weird", "sub/pipe", "z-link"):
        with pytest.raises(ClientError) as error:
            s3.delete_bucket(Bucket=b)
        assert code_of(error) == "BucketNotEmpty" and f'"{name}"' in error.value.response["Error"]["Message"]
        (folder / name).unlink()
    s3.delete_bucket(Bucket=b)
    assert not folder.exists()


def test_ranges_and_conditions(s3, b):
    etag = s3.put_object(Bucket=b, Key="k", Body=b"0123456789", ChecksumAlgorithm="CRC32")["ETag"]
    # boto3 from 1.36 on asks for the checksum always, and compares it with whatever came.
    assert body(s3, b, "k", Range="bytes=2-4", ChecksumMode="ENABLED") == b"234"
    part = s3.get_object(Bucket=b, Key="k", Range="bytes=2-4", IfMatch=etag)
    assert (part["Body"].read(), part["ContentRange"], part["ResponseMetadata"]["HTTPStatusCode"]) == (b"234", "bytes 2-4/10", 206)
    assert body(s3, b, "k", Range="bytes=7-") == b"789"
    assert body(s3, b, "k", Range="bytes=-3") == b"789"
    assert body(s3, b, "k", Range="bytes=8-999") == b"89"
    for query, code in ((dict(Range="bytes=10-"), "InvalidRange"), (dict(IfMatch='"x"'), "PreconditionFailed"),
                        (dict(IfNoneMatch=etag), "304"), (dict(IfUnmodifiedSince=0), "PreconditionFailed")):
        with pytest.raises(ClientError) as error:
            s3.get_object(Bucket=b, Key="k", **query)
        assert code_of(error) == code, query


def test_exactly_one_of_many_conditional_writers_succeeds(store, b):
    def attempt(i):
        own = client(store)
        own.meta.events.register("before-sign.s3.PutObject", lambda request, **_: request.headers.add_header("If-None-Match", "*"))
        try:
            own.put_object(Bucket=b, Key="once", Body=b"%d" % i)
            return i
        except ClientError as error:
            assert error.response["Error"]["Code"] == "PreconditionFailed"
            return None
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        winners = [i for i in pool.map(attempt, range(8)) if i is not None]
    assert len(winners) == 1
    assert client(store).get_object(Bucket=b, Key="once")["Body"].read() == b"%d" % winners[0]


def test_listing_groups_by_delimiter_and_pages(s3, b):
    for i in range(30):
        s3.put_object(Bucket=b, Key=f"d{i:02}/x", Body=b"")
        s3.put_object(Bucket=b, Key=f"f{i:02}", Body=b"")
    prefixes, files = [], []
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=b, Delimiter="/", PaginationConfig={"PageSize": 7}):
        prefixes += [p["Prefix"] for p in page.get("CommonPrefixes", [])]
        files += [c["Key"] for c in page.get("Contents", [])]
    assert prefixes == [f"d{i:02}/" for i in range(30)] and files == [f"f{i:02}" for i in range(30)]
    assert keys(s3, b, Prefix="d1") == [f"d{i}/x" for i in range(10, 20)]
    assert s3.list_objects_v2(Bucket=b, StartAfter="f20")["KeyCount"] == 9
    assert s3.list_objects_v2(Bucket=b, MaxKeys=0)["KeyCount"] == 0
    first = s3.list_objects(Bucket=b, Delimiter="/", MaxKeys=3)
    assert first["NextMarker"] == "d02/" and first["IsTruncated"]


def test_copies_keep_or_replace_metadata(s3, b):
    s3.put_object(Bucket=b, Key="ü/from a", Body=b"copy me", Metadata={"a": "1"}, ContentType="text/one")
    s3.copy_object(Bucket=b, Key="kept", CopySource={"Bucket": b, "Key": "ü/from a"})
    kept = s3.get_object(Bucket=b, Key="kept")
    assert (kept["Body"].read(), kept["Metadata"], kept["ContentType"]) == (b"copy me", {"a": "1"}, "text/one")
    s3.copy_object(Bucket=b, Key="new", CopySource={"Bucket": b, "Key": "ü/from a"}, MetadataDirective="REPLACE", Metadata={"b": "2"})
    assert s3.head_object(Bucket=b, Key="new")["Metadata"] == {"b": "2"}
    with pytest.raises(ClientError) as error:
        s3.copy_object(Bucket=b, Key="kept", CopySource={"Bucket": b, "Key": "kept"})
    assert code_of(error) == "InvalidRequest"
    s3.copy_object(Bucket=b, Key="kept", CopySource={"Bucket": b, "Key": "kept"}, StorageClass="STANDARD")
    same = s3.get_object(Bucket=b, Key="kept")
    assert (same["Body"].read(), same["Metadata"], same["ContentType"], same["ETag"]) == (b"copy me", {"a": "1"}, "text/one", kept["ETag"])
    with pytest.raises(ClientError) as error:
        s3.copy_object(Bucket=b, Key="x", CopySource={"Bucket": b, "Key": "nowhere"})
    assert code_of(error) == "NoSuchKey"


def test_running_read_is_not_affected_by_a_replacement(s3, b):
    old = os.urandom(8 << 20)
    s3.put_object(Bucket=b, Key="k", Body=old)
    stream = s3.get_object(Bucket=b, Key="k")["Body"]
    begin = stream.read(1000)
    s3.put_object(Bucket=b, Key="k", Body=b"new")
    s3.delete_object(Bucket=b, Key="k")
    assert begin + stream.read() == old


def test_errors_have_s3_names(store, s3, b):
    def code(call, **query):
        with pytest.raises(ClientError) as error:
            call(**query)
        return code_of(error)
    assert code(s3.get_object, Bucket=b, Key="none") == "NoSuchKey"
    assert code(s3.list_objects_v2, Bucket="no-such-bucket") == "NoSuchBucket"
    assert code(s3.put_object, Bucket="no-such-bucket", Key="k", Body=b"x") == "NoSuchBucket"
    assert code(s3.head_object, Bucket=b, Key="none") == "404"
    s3.put_object(Bucket=b, Key="k", Body=b"")
    assert code(s3.delete_bucket, Bucket=b) == "BucketNotEmpty"
    assert code(client(store, secret_key="wrong").list_buckets) == "SignatureDoesNotMatch"
    assert code(client(store, access_key="NOBODY").list_buckets) == "InvalidAccessKeyId"
    for call, query in ((s3.put_bucket_versioning, dict(VersioningConfiguration={"Status": "Enabled"})),
                        (s3.put_bucket_policy, dict(Policy="{}")),
                        (s3.put_bucket_encryption, dict(ServerSideEncryptionConfiguration={"Rules": []}))):
        assert code(call, Bucket=b, **query) == "NotImplemented", call
    assert code(s3.put_object, Bucket=b, Key="e", Body=b"", ServerSideEncryption="AES256") == "NotImplemented"
    assert code(s3.put_object, Bucket=b, Key="e", Body=b"", ACL="public-read") == "AccessControlListNotSupported"
    assert code(s3.get_bucket_policy, Bucket=b) == "NoSuchBucketPolicy"
    assert s3.create_bucket(Bucket=b)["ResponseMetadata"]["HTTPStatusCode"] == 200, "one's own bucket again"


def test_unsigned_requests_are_denied(store, b):
    url = store.endpoint()["s3"]["endpoint"]
    for path in ("/", f"/{b}", f"/{b}/k"):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(url + path)
        assert error.value.code == 403 and b"<Code>AccessDenied</Code>" in error.value.read()


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_presigned_urls_work_until_they_expire_or_change(store, b, version):
    s3 = client(store, signature_version=version)
    key = "signed ü/&+key"
    put = s3.generate_presigned_url("put_object", Params={"Bucket": b, "Key": key}, ExpiresIn=300)
    urllib.request.urlopen(urllib.request.Request(put, data=b"by url", method="PUT", headers={"Content-Type": ""})).read()
    get = s3.generate_presigned_url("get_object", Params={"Bucket": b, "Key": key, "ResponseContentType": "text/own"}, ExpiresIn=300)
    with urllib.request.urlopen(get) as answer:
        assert answer.read() == b"by url" and answer.headers["Content-Type"] == "text/own"
    for wrong in (get.replace("own", "other"), get.replace("key", "kez")):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(wrong)
        assert error.value.code == 403
    short = s3.generate_presigned_url("get_object", Params={"Bucket": b, "Key": key}, ExpiresIn=1)

    def expired():
        try:
            return not urllib.request.urlopen(short).read()
        except urllib.error.HTTPError as error:
            return b"expired" in error.read()
    wait_until(expired, 60, "the signed URL to expire")


def test_tags_and_cors_are_stored_and_removed(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"x", Metadata={"stays": "1"})
    tags = [{"Key": "stage", "Value": "ü <&>"}]
    s3.put_object_tagging(Bucket=b, Key="k", Tagging={"TagSet": tags})
    assert s3.get_object_tagging(Bucket=b, Key="k")["TagSet"] == tags
    assert s3.head_object(Bucket=b, Key="k")["Metadata"] == {"stays": "1"}
    s3.delete_object_tagging(Bucket=b, Key="k")
    assert s3.get_object_tagging(Bucket=b, Key="k")["TagSet"] == []
    rules = [{"AllowedOrigins": ["https://*.example.com"], "AllowedMethods": ["GET", "PUT"], "AllowedHeaders": ["*"], "MaxAgeSeconds": 60}]
    with pytest.raises(ClientError) as error:
        s3.get_bucket_cors(Bucket=b)
    assert code_of(error) == "NoSuchCORSConfiguration"
    s3.put_bucket_cors(Bucket=b, CORSConfiguration={"CORSRules": rules})
    assert s3.get_bucket_cors(Bucket=b)["CORSRules"] == rules
    url = s3.meta.endpoint_url + f"/{b}/k"

    def preflight(origin):
        request = urllib.request.Request(url, method="OPTIONS", headers={
            "Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-amz-date, content-type"})
        return urllib.request.urlopen(request).headers
    assert preflight("https://a.example.com")["Access-Control-Allow-Origin"] == "https://a.example.com"
    with pytest.raises(urllib.error.HTTPError):
        preflight("https://evil.test")
    s3.delete_bucket_cors(Bucket=b)
    with pytest.raises(urllib.error.HTTPError):
        preflight("https://a.example.com")


def test_keys_are_limited_to_their_grants(store, s3, b):
    path = store.data / "objects/.muster/keys.json"
    ring = json.loads(path.read_text())
    ring["keys"].append({"access_key": "READER", "secret_key": "r" * 40, "user": "r", "grants": [{"bucket": b, "prefix": "open/", "write": False}]})
    ring["keys"].append({"access_key": "WRITER", "secret_key": "w" * 40, "user": "w", "grants": [{"bucket": b, "prefix": "", "write": True}]})
    (path.parent / "new").write_text(json.dumps(ring))
    os.rename(path.parent / "new", path)
    reader, writer = client(store, "READER", "r" * 40), client(store, "WRITER", "w" * 40)
    writer.put_object(Bucket=b, Key="open/k", Body=b"seen")
    writer.put_object(Bucket=b, Key="closed/k", Body=b"hidden")
    assert reader.get_object(Bucket=b, Key="open/k")["Body"].read() == b"seen"
    assert keys(reader, b, Prefix="open/") == ["open/k"]
    other = bucket(s3)
    assert [x["Name"] for x in reader.list_buckets()["Buckets"]] == [b]

    def denied(call, **query):
        with pytest.raises(ClientError) as error:
            call(**query)
        assert code_of(error) in ("AccessDenied", "403"), query
    denied(reader.get_object, Bucket=b, Key="closed/k")
    denied(reader.head_object, Bucket=b, Key="closed/k")
    denied(reader.list_objects_v2, Bucket=b)
    denied(reader.put_object, Bucket=b, Key="open/x", Body=b"")
    denied(reader.delete_object, Bucket=b, Key="open/k")
    denied(reader.copy_object, Bucket=b, Key="open/copy", CopySource={"Bucket": b, "Key": "open/k"})
    denied(writer.copy_object, Bucket=b, Key="stolen", CopySource={"Bucket": other, "Key": "k"})
    denied(writer.put_object, Bucket=other, Key="k", Body=b"")
    denied(writer.create_bucket, Bucket="not-allowed")
    answer = reader.delete_objects(Bucket=b, Delete={"Objects": [{"Key": "open/k"}]})
    assert [e["Code"] for e in answer["Errors"]] == ["AccessDenied"] and "open/k" in keys(s3, b)


def test_metadata_larger_than_an_attribute_is_kept(s3, b):
    metadata = {f"name-{i}": "v" * 200 for i in range(9)}
    tags = "&".join(f"tag{i}={urllib.parse.quote('数' * 250)}" for i in range(10))
    s3.put_object(Bucket=b, Key="much", Body=b"x", Metadata=metadata, Tagging=tags)
    assert s3.head_object(Bucket=b, Key="much")["Metadata"] == metadata
    assert len(s3.get_object_tagging(Bucket=b, Key="much")["TagSet"]) == 10
    s3.put_object(Bucket=b, Key="much", Body=b"y")
    assert s3.head_object(Bucket=b, Key="much")["Metadata"] == {}
