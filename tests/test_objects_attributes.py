"""What the store tells of objects and buckets beside their bytes: versions, attributes, tags, metadata, regions."""
import re

import pytest
from botocore.exceptions import ClientError

from s3 import Raw, bucket, client, code_of, keys

MIB = 1 << 20


def test_every_object_has_one_version_and_buckets_are_emptied_by_versions(s3, b):
    names = sorted(f"d{i % 3}/f{i:02}" for i in range(25))
    for name in names:
        s3.put_object(Bucket=b, Key=name, Body=name.encode())
    listed = s3.list_object_versions(Bucket=b)
    assert [(v["Key"], v["VersionId"], v["IsLatest"], v["Size"]) for v in listed["Versions"]] == [(n, "null", True, len(n)) for n in names]
    assert "DeleteMarkers" not in listed and not listed["IsTruncated"]
    assert [p["Prefix"] for p in s3.list_object_versions(Bucket=b, Delimiter="/")["CommonPrefixes"]] == ["d0/", "d1/", "d2/"]
    assert [v["Key"] for v in s3.list_object_versions(Bucket=b, Prefix="d1/")["Versions"]] == [n for n in names if n.startswith("d1/")]
    pages = [p for p in s3.get_paginator("list_object_versions").paginate(Bucket=b, PaginationConfig={"PageSize": 7})]
    assert [len(p["Versions"]) for p in pages] == [7, 7, 7, 4] and [v["Key"] for p in pages for v in p["Versions"]] == names
    for page in pages:
        gone = s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": v["Key"], "VersionId": v["VersionId"]} for v in page["Versions"]]})
        assert "Errors" not in gone
    assert keys(s3, b) == []
    with pytest.raises(ClientError) as error:
        s3.list_object_versions(Bucket=b, VersionIdMarker="x")
    assert code_of(error) == "InvalidArgument"


def test_attributes_of_objects_and_their_parts(raw, s3, b):
    s3.put_object(Bucket=b, Key="put", Body=b"foo", ChecksumAlgorithm="SHA256")
    got = s3.get_object_attributes(Bucket=b, Key="put", ObjectAttributes=["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"])
    assert (got["ETag"], got["ObjectSize"], got["StorageClass"]) == ("acbd18db4cc2f85cedef654fccc4a4d8", 3, "STANDARD")
    assert got["Checksum"]["ChecksumSHA256"] == "LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564=" and "ObjectParts" not in got
    upload = s3.create_multipart_upload(Bucket=b, Key="parts", ChecksumAlgorithm="CRC32")["UploadId"]
    sums, parts = [], []
    for number, size in enumerate((5 * MIB, 5 * MIB, 17), 1):
        part = s3.upload_part(Bucket=b, Key="parts", UploadId=upload, PartNumber=number, Body=bytes([number]) * size, ChecksumAlgorithm="CRC32")
        sums.append((number, size, part["ChecksumCRC32"]))
        parts.append({"PartNumber": number, "ETag": part["ETag"], "ChecksumCRC32": part["ChecksumCRC32"]})
    s3.complete_multipart_upload(Bucket=b, Key="parts", UploadId=upload, MultipartUpload={"Parts": parts})
    got = s3.get_object_attributes(Bucket=b, Key="parts", ObjectAttributes=["ObjectParts"])["ObjectParts"]
    assert [(p["PartNumber"], p["Size"], p["ChecksumCRC32"]) for p in got["Parts"]] == sums and got["TotalPartsCount"] == 3
    got = s3.get_object_attributes(Bucket=b, Key="parts", ObjectAttributes=["ObjectParts"], MaxParts=1, PartNumberMarker=1)["ObjectParts"]
    assert [(p["PartNumber"], p["Size"], p["ChecksumCRC32"]) for p in got["Parts"]] == sums[1:2]
    assert (got["IsTruncated"], got["NextPartNumberMarker"], got["PartNumberMarker"]) == (True, 2, 1)
    for headers, name in (({}, "InvalidRequest"), ({"x-amz-object-attributes": "Size"}, "InvalidArgument")):
        status, answer, _ = raw.v4("GET", f"/{b}/put?attributes", "UNSIGNED-PAYLOAD", headers, b"")
        assert status == 400 and f"<Code>{name}</Code>".encode() in answer
    with pytest.raises(ClientError) as error:
        s3.get_object_attributes(Bucket=b, Key="none", ObjectAttributes=["ETag"])
    assert code_of(error) == "NoSuchKey"


def test_object_of_one_part_says_how_many_parts_it_has(s3, b):
    upload = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]
    etag = s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=1, Body=b"one")["ETag"]
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
    got = s3.get_object(Bucket=b, Key="k", PartNumber=1)
    assert (got["Body"].read(), got["PartsCount"], got["ContentRange"]) == (b"one", 1, "bytes 0-2/3")


def test_limits_of_tags_count_characters(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"")

    def tag(*pairs):
        s3.put_object_tagging(Bucket=b, Key="k", Tagging={"TagSet": [{"Key": k, "Value": v} for k, v in pairs]})
        return [(t["Key"], t["Value"]) for t in s3.get_object_tagging(Bucket=b, Key="k")["TagSet"]]
    good = [("数" * 128, "据" * 256)] + [(f"t{i}", "") for i in range(9)]
    assert tag(*good) == sorted(good)
    for bad in ([("k" * 129, "")], [("k", "v" * 257)], [("a", "1"), ("a", "2")], [(f"t{i}", "") for i in range(11)]):
        with pytest.raises(ClientError) as error:
            tag(*bad)
        assert code_of(error) == "InvalidTag", bad
    s3.put_bucket_tagging(Bucket=b, Tagging={"TagSet": [{"Key": f"t{i}", "Value": "v"} for i in range(50)]})
    assert len(s3.get_bucket_tagging(Bucket=b)["TagSet"]) == 50
    with pytest.raises(ClientError) as error:
        s3.put_bucket_tagging(Bucket=b, Tagging={"TagSet": [{"Key": f"t{i}", "Value": "v"} for i in range(51)]})
    assert code_of(error) == "InvalidTag"


def test_limit_of_metadata_is_2_kib_for_s3_and_8_kib_for_obs(raw, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"", Metadata={"n": "v" * 2047})
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=b, Key="k", Body=b"", Metadata={"n": "v" * 2048})
    assert code_of(error) == "MetadataTooLarge"
    assert s3.head_object(Bucket=b, Key="k")["Metadata"] == {"n": "v" * 2047}
    assert raw.v2("PUT", f"/{b}/k", b"", "OBS", {"x-obs-meta-n": "v" * 8191})[0] == 200
    assert raw.v2("PUT", f"/{b}/k", b"", "OBS", {"x-obs-meta-n": "v" * 8192})[0] == 400


def test_content_encoding_comes_back_as_it_was_sent(s3, b):
    for sent, stored in (("gzip", "gzip"), ("deflate, gzip", "deflate, gzip"), ("gzip, aws-chunked", "gzip"), ("aws-chunked,gzip", "gzip"), ("aws-chunked", None)):
        s3.put_object(Bucket=b, Key="k", Body=b"", ContentEncoding=sent)
        assert s3.head_object(Bucket=b, Key="k").get("ContentEncoding") == stored


def test_a_bucket_keeps_the_region_that_it_was_made_with(store, raw):
    s3 = client(store)
    name = bucket(s3)
    assert s3.get_bucket_location(Bucket=name)["LocationConstraint"] is None
    other = name + "-west"
    s3.create_bucket(Bucket=other, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    assert s3.get_bucket_location(Bucket=other)["LocationConstraint"] == "eu-west-1"
    assert s3.head_bucket(Bucket=other)["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"] == "eu-west-1"
    store.kill()
    store.start()
    s3 = client(store)
    assert s3.get_bucket_location(Bucket=other)["LocationConstraint"] == "eu-west-1"
    s3.delete_bucket(Bucket=other)
    s3.create_bucket(Bucket=other)
    assert s3.get_bucket_location(Bucket=other)["LocationConstraint"] is None
    body = b"<CreateBucketConfiguration><LocationConstraint>a b</LocationConstraint></CreateBucketConfiguration>"
    status, answer, _ = Raw(store).v4("PUT", f"/{name}-bad", "UNSIGNED-PAYLOAD", {}, body)
    assert status == 400 and b"<Code>InvalidLocationConstraint</Code>" in answer


@pytest.mark.parametrize("name", ["192.168.5.123", "foo-.bar", "foo.-bar", "foo..bar"])
def test_new_buckets_have_names_that_s3_allows(raw, s3, name):
    status, answer, _ = raw.v4("PUT", f"/{name}", "UNSIGNED-PAYLOAD", {}, b"")
    assert status == 400 and b"<Code>InvalidBucketName</Code>" in answer
    assert name not in [one["Name"] for one in s3.list_buckets()["Buckets"]]


@pytest.mark.parametrize("given, status, name", [("bytes=0-21", 416, "InvalidRange"), ("bytes=5-6", 416, "InvalidRange"), ("0-2", 400, "InvalidArgument"),
                                                 ("bytes=0", 400, "InvalidArgument"), ("bytes=hello-world", 400, "InvalidArgument"),
                                                 ("bytes=1-", 400, "InvalidArgument"), ("bytes=0-2,3-4", 400, "InvalidArgument")])
def test_part_copy_refuses_a_range_that_is_not_in_the_source(raw, s3, b, given, status, name):
    s3.put_object(Bucket=b, Key="source", Body=b"01234")
    upload = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]
    headers = {"x-amz-copy-source": f"{b}/source", "x-amz-copy-source-range": given}
    answer = raw.v4("PUT", f"/{b}/k?partNumber=1&uploadId={upload}", "UNSIGNED-PAYLOAD", headers, b"")
    assert answer[0] == status and f"<Code>{name}</Code>".encode() in answer[1]
    assert "Parts" not in s3.list_parts(Bucket=b, Key="k", UploadId=upload)


def test_encryption_and_public_access_are_refused_with_the_reason(raw, s3, b):
    for headers, status, name, reason in (({"x-amz-server-side-encryption": "AES256"}, 501, "NotImplemented", "does not encrypt objects"),
                                          ({"x-amz-acl": "public-read"}, 400, "AccessControlListNotSupported", "does not allow ACLs")):
        status_now, answer, _ = raw.v4("PUT", f"/{b}/k", "UNSIGNED-PAYLOAD", headers, b"body")
        assert status_now == status and name in answer.decode() and reason in re.search("<Message>(.*)</Message>", answer.decode())[1]
    assert keys(s3, b) == []


def test_answers_forbid_guessing_of_content_types(raw, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"<script>", ContentType="text/plain")
    for target in f"/{b}/k", f"/{b}", f"/{b}/none", "/":
        assert raw.v4("GET", target, "UNSIGNED-PAYLOAD", {}, b"")[2]["X-Content-Type-Options"] == "nosniff", target
