"""What is asked for on a condition, or of what this store has not, is never done without."""
import http.client
import re

import pytest
from botocore.exceptions import ClientError

from s3 import Raw, body, code_of, keys


def code(answer):
    """Status and S3's code of an answer that Raw got."""
    found = re.search(b"<Code>(.*?)</Code>", answer[1])
    return answer[0], found[1].decode() if found else ""


def test_conditional_delete_removes_only_a_matching_object(raw, s3, b):
    etag = s3.put_object(Bucket=b, Key="k", Body=b"bytes")["ETag"]

    def modified():
        return s3.head_object(Bucket=b, Key="k")["ResponseMetadata"]["HTTPHeaders"]["last-modified"]

    def delete(key="k", **headers):
        return code(raw.v2("DELETE", f"/{b}/{key}", scheme="AWS", headers={k.replace("_", "-"): v for k, v in headers.items()}))
    for headers in (dict(If_Match='"x"'), dict(If_Match=""), dict(x_amz_if_match_size="6"), {"x-amz-if-match-size": "5", "If-Match": '"x"'},
                    {"x-amz-if-match-last-modified-time": "Sun, 06 Nov 1994 08:49:37 GMT"}):
        assert delete(**headers) == (412, "PreconditionFailed"), headers
    for name in ("If_None_Match", "If_Unmodified_Since", "If_Modified_Since"):
        assert delete(**{name: "x"}) == (501, "NotImplemented"), name
    assert delete(x_amz_if_match_size="many") == (400, "InvalidArgument")
    assert body(s3, b, "k") == b"bytes"
    assert delete("none", If_Match="*") == (404, "NoSuchKey") and delete("none", If_Match=etag) == (404, "NoSuchKey")
    assert delete("none", x_amz_if_match_size="5")[0] == 204 and delete("none")[0] == 204
    for headers in (dict(If_Match=etag), dict(If_Match="*"), dict(x_amz_if_match_size="5"), dict(x_amz_if_match_last_modified_time=None)):
        # The object is written again in every round, so its time is asked for in every round.
        headers = {name: value or modified() for name, value in headers.items()}
        assert delete(**headers)[0] == 204, headers
        assert keys(s3, b) == []
        s3.put_object(Bucket=b, Key="k", Body=b"bytes")


def test_delete_objects_checks_each_condition(raw, s3, b):
    etag = s3.put_object(Bucket=b, Key="other", Body=b"bytes")["ETag"]
    cases = {"etag": f"<ETag>{etag}</ETag>", "bare": f"<ETag>{etag.strip(chr(34))}</ETag>", "size": "<Size>5</Size>",
             "version": "<VersionId>null</VersionId>", "none": "<VersionId/>", "not-etag": "<ETag>x</ETag>", "no-etag": "<ETag/>",
             "not-size": "<Size>4</Size>", "not-time": "<LastModifiedTime>Sun, 06 Nov 1994 08:49:37 GMT</LastModifiedTime>",
             "no-version": "<VersionId>3HL4kqtJvjVBH40Nrjfkd</VersionId>"}
    for key in cases:
        s3.put_object(Bucket=b, Key=key, Body=b"bytes")
    order = "".join(f"<Object><Key>{key}</Key>{condition}</Object>" for key, condition in cases.items())
    order += f"<Object><Key>absent</Key><ETag>{etag}</ETag></Object><Object><Key>gone</Key></Object>"
    status, answer, _ = raw.v2("POST", f"/{b}?delete", f"<Delete>{order}</Delete>".encode(), "AWS")
    assert status == 200
    faults = dict(re.findall("<Error><Key>(.*?)</Key><Code>(.*?)</Code>", answer.decode()))
    assert faults == {"not-etag": "PreconditionFailed", "no-etag": "PreconditionFailed", "not-size": "PreconditionFailed",
                      "not-time": "PreconditionFailed", "no-version": "NotImplemented", "absent": "NoSuchKey"}
    assert re.findall("<Deleted><Key>(.*?)</Key>", answer.decode()) == ["etag", "bare", "size", "version", "none", "gone"]
    assert keys(s3, b) == sorted([*faults.keys() - {"absent"}, "other"])


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT"])
def test_unknown_version_is_refused(raw, s3, b, method):
    s3.put_object(Bucket=b, Key="k", Body=b"bytes")
    for version in ("versionId=3HL4kqtJvjVBH40Nrjfkd", "tagging&versionId=x") if method != "HEAD" else ("versionId=x",):
        status, answer, _ = raw.v2(method, f"/{b}/k?{version}", b"", "AWS")
        assert status == 501 and (method == "HEAD" or b"NotImplemented" in answer)
    assert body(s3, b, "k") == b"bytes"
    assert raw.v2("DELETE", f"/{b}/k?versionId=null", b"", "AWS")[0] == 204 and keys(s3, b) == []


def test_content_range_on_put_is_refused(raw, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"all of it")
    assert code(raw.v2("PUT", f"/{b}/k", b"piece", "AWS", {"x-amz-write-offset-bytes": "9"})) == (501, "NotImplemented")
    assert code(raw.v2("PUT", f"/{b}/k", b"piece", "AWS", {"x-amz-write-offset-bytes": "0"})) == (501, "NotImplemented")
    assert body(s3, b, "k") == b"all of it"


def test_multipart_object_must_have_the_declared_size(raw, s3, b):
    upload = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]
    etags = [s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=n, Body=data)["ETag"] for n, data in ((1, b"x" * (5 << 20)), (2, b"end"))]

    def complete(size, parts=2):
        order = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{etag}</ETag></Part>" for n, etag in enumerate(etags[:parts], 1))
        return code(raw.v2("POST", f"/{b}/k?uploadId={upload}", f"<CompleteMultipartUpload>{order}</CompleteMultipartUpload>".encode(),
                           "AWS", {"x-amz-mp-object-size": size}))
    whole = (5 << 20) + 3
    for size, parts in ((str(whole - 1), 2), (str(whole), 1), ("many", 2), ("-1", 2)):
        assert complete(size, parts) == (400, "InvalidRequest"), size
    assert keys(s3, b) == [] and len(s3.list_parts(Bucket=b, Key="k", UploadId=upload)["Parts"]) == 2
    assert complete(str(whole))[0] == 200
    assert s3.head_object(Bucket=b, Key="k")["ContentLength"] == whole
    assert complete(str(whole))[0] == 200 and complete(str(whole + 1)) == (400, "InvalidRequest"), "who asks again"


def test_unknown_parameter_is_ignored(raw, s3, b):
    assert raw.v2("PUT", f"/{b}/k?foo=bar", b"bytes", "AWS", resource=f"/{b}/k")[0] == 200
    assert raw.v2("GET", f"/{b}/k?foo=bar&x-id=GetObject", b"", "AWS", resource=f"/{b}/k")[1] == b"bytes"
    assert b"<Key>k</Key>" in raw.v2("GET", f"/{b}?list-type=2&foo=bar", b"", "AWS", resource=f"/{b}")[1]


@pytest.mark.parametrize("name", ["acls", "policy", "lifecycle", "attributes", "attributes=x", "legal-hold", "renameObject", "ownershipControls=",
                                  "uploadID=x", "VersionId=x", "unheard-of"])
def test_unsupported_subresources_return_501(raw, s3, b, name):
    s3.put_object(Bucket=b, Key="k", Body=b"bytes")
    signed = f"/{b}/k?{name}" if name in ("policy", "lifecycle") else f"/{b}/k"
    for method in ("PUT", "DELETE", "POST"):
        assert code(raw.v2(method, f"/{b}/k?{name}", b"", "AWS", resource=signed)) == (501, "NotImplemented"), method
    assert body(s3, b, "k") == b"bytes"


LOCK = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": "2099-01-01T00:00:00Z"}
RULE = {"ID": "r", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}
SSE_RULE = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


@pytest.mark.parametrize("call, query", [
    ("put_bucket_lifecycle_configuration", dict(LifecycleConfiguration={"Rules": [RULE]})),
    ("delete_bucket_lifecycle", {}),
    ("put_object_lock_configuration", dict(ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"})),
    ("put_bucket_encryption", dict(ServerSideEncryptionConfiguration={"Rules": [SSE_RULE]})),
    ("delete_bucket_encryption", {}),
    ("put_bucket_versioning", dict(VersioningConfiguration={"Status": "Enabled"})),
    ("get_object_retention", dict(Key="k")),
    ("put_object_retention", dict(Key="k", Retention={"Mode": "GOVERNANCE", "RetainUntilDate": "2099-01-01T00:00:00Z"})),
    ("get_object_legal_hold", dict(Key="k")),
    ("put_object_legal_hold", dict(Key="k", LegalHold={"Status": "ON"})),
    ("put_object", dict(Key="k", Body=b"other", ObjectLockLegalHoldStatus="ON")),
    *(("put_object", dict(Key="k", Body=b"other", **more)) for more in (LOCK, {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "x"})),
    ("put_object", dict(Key="k", Body=b"other", SSECustomerAlgorithm="AES256", SSECustomerKey="0" * 32)),
    *(("copy_object", dict(Key="copy", CopySource="{b}/k", **more)) for more in (LOCK, {"ServerSideEncryption": "AES256"})),
    *(("create_multipart_upload", dict(Key="k", **more)) for more in (LOCK, {"ServerSideEncryption": "AES256"})),
])
def test_locks_encryption_and_lifecycle_are_refused(s3, b, call, query):
    s3.put_object(Bucket=b, Key="k", Body=b"bytes")
    query = {k: v.format(b=b) if k == "CopySource" else v for k, v in query.items()}
    with pytest.raises(ClientError) as error:
        getattr(s3, call)(Bucket=b, **query)
    assert (code_of(error), error.value.response["ResponseMetadata"]["HTTPStatusCode"]) == ("NotImplemented", 501)
    assert (keys(s3, b), body(s3, b, "k"), "Uploads" in s3.list_multipart_uploads(Bucket=b)) == (["k"], b"bytes", False)


def test_absent_bucket_settings_have_s3_error_names(s3, b):
    for call, name in (("get_bucket_lifecycle_configuration", "NoSuchLifecycleConfiguration"), ("get_bucket_policy", "NoSuchBucketPolicy"),
                       ("get_bucket_encryption", "ServerSideEncryptionConfigurationNotFoundError"),
                       ("get_object_lock_configuration", "ObjectLockConfigurationNotFoundError"), ("get_bucket_website", "NoSuchWebsiteConfiguration")):
        with pytest.raises(ClientError) as error:
            getattr(s3, call)(Bucket=b)
        assert code_of(error) == name
    with pytest.raises(ClientError) as error:
        s3.create_bucket(Bucket=b + "-locked", ObjectLockEnabledForBucket=True)
    assert code_of(error) == "NotImplemented"
    assert b + "-locked" not in [x["Name"] for x in s3.list_buckets()["Buckets"]]


def error_of(answer):
    """Status, code and the name of the condition that failed."""
    found = re.search(b"<Condition>(.*?)</Condition>", answer[1])
    return *code(answer), found[1].decode() if found else ""


@pytest.mark.parametrize("method, headers, condition", [
    ("PUT", {"If-None-Match": "*"}, "If-None-Match"), ("PUT", {"If-Match": '"x"'}, "If-Match"), ("GET", {"If-Match": '"x"'}, "If-Match"),
    ("GET", {"If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"}, "If-Unmodified-Since"), ("DELETE", {"If-Match": '"x"'}, "If-Match"),
    ("DELETE", {"x-amz-if-match-size": "6"}, "x-amz-if-match-size"),
    ("PUT", {"x-amz-copy-source": "{b}/k", "x-amz-copy-source-if-match": '"x"'}, "x-amz-copy-source-if-match"),
    ("PUT", {"x-amz-copy-source": "{b}/k", "x-amz-copy-source-if-none-match": "*"}, "x-amz-copy-source-if-none-match"),
])
def test_failed_condition_is_named_in_the_error(raw, s3, b, method, headers, condition):
    s3.put_object(Bucket=b, Key="k", Body=b"bytes")
    headers = {name: value.format(b=b) for name, value in headers.items()}
    target = f"/{b}/copy" if "x-amz-copy-source" in headers else f"/{b}/k"
    answer = raw.v4(method, target, "UNSIGNED-PAYLOAD", headers, b"")
    assert error_of(answer) == (412, "PreconditionFailed", condition)
    assert (keys(s3, b), body(s3, b, "k")) == (["k"], b"bytes")


def test_failed_condition_of_a_put_keeps_the_connection(raw, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"bytes")
    connection = http.client.HTTPConnection(raw.host, timeout=60)
    sockets = set()

    def send(method, target, headers, data=b"", host=None):
        connection.request(method, target, data, {**headers, "Content-Length": str(len(data))})
        sockets.add(connection.sock)
        response = connection.getresponse()
        return response.status, response.read(), response.headers
    raw.send = send
    for data in b"x" * 100_000, b"", b"x":
        answer = raw.v4("PUT", f"/{b}/k", "UNSIGNED-PAYLOAD", {"if-none-match": "*"}, data)
        assert error_of(answer) == (412, "PreconditionFailed", "If-None-Match") and answer[2]["Connection"] == "keep-alive"
    assert raw.v4("GET", f"/{b}/k", "UNSIGNED-PAYLOAD", {}, b"")[1] == b"bytes"
    assert len(sockets) == 1
    connection.close()
