"""POST of a form: what a web page uploads with a policy that the owner of a key has signed."""
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import re
import urllib.parse
import uuid

import pytest
from botocore.exceptions import ClientError

from s3 import Raw, body, client, code_of, keys


class Poster:
    def __init__(self, server, bucket):
        self.raw, self.bucket = Raw(server), bucket

    def send(self, fields, data=b"bar", filename="foo.txt", content_type=None):
        """Status, body and headers of the answer to a form with these fields and one file."""
        boundary = uuid.uuid4().hex
        text = b"".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items())
        text += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'.encode() + data
        text += f"\r\n--{boundary}--\r\n".encode()
        connection = http.client.HTTPConnection(self.raw.host, timeout=60)
        connection.request("POST", f"/{self.bucket}", text, {"Content-Type": content_type or f"multipart/form-data; boundary={boundary}"})
        answer = connection.getresponse()
        result = answer.status, answer.read().decode(), answer.headers
        connection.close()
        return result

    def signed(self, conditions, version="v2", seconds=60, **fields):
        """The fields with a policy that has these conditions, and its signature."""
        now = datetime.datetime.now(datetime.timezone.utc)
        day, s3 = now.strftime("%Y%m%d"), self.raw.s3
        if version == "v4":
            extra = {"x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": f"{s3['access_key']}/{day}/us-east-1/s3/aws4_request",
                     "x-amz-date": now.strftime("%Y%m%dT%H%M%SZ")}
            conditions = [*conditions, *({name: value} for name, value in extra.items())]
            fields.update(extra)
        until = (now + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
        policy = base64.b64encode(json.dumps({"expiration": until, "conditions": [{"bucket": self.bucket}, *conditions]}).encode())
        fields["policy"] = policy.decode()
        if version == "v2":
            signature = base64.b64encode(hmac.new(s3["secret_key"].encode(), policy, hashlib.sha1).digest()).decode()
            return {**fields, "AWSAccessKeyId": s3["access_key"], "signature": signature}
        key = ("AWS4" + s3["secret_key"]).encode()
        for word in (day, "us-east-1", "s3", "aws4_request"):
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()
        return {**fields, "x-amz-signature": hmac.new(key, policy, hashlib.sha256).hexdigest()}


@pytest.fixture
def form(store, b):
    return Poster(store, b)


ANY_KEY = ["starts-with", "$key", ""]


def code(answer):
    found = re.search("<Code>(.*?)</Code>", answer[1])
    return answer[0], found[1] if found else ""


@pytest.mark.parametrize("version", ["v2", "v4"])
def test_form_makes_an_object_with_its_metadata(form, s3, b, version):
    conditions = [["starts-with", "$key", "up/foo."], ["starts-with", "$Content-Type", "text/"], {"acl": "private"}, ["content-length-range", 0, 1 << 24],
                  {"x-amz-meta-colour": "blue"}, ["starts-with", "$tagging", ""]]
    tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>"
    data = bytes(range(256)) * 4096 + b"\r\n--"
    fields = form.signed(conditions, version, **{"key": "up/${filename}", "Content-Type": "text/csv", "acl": "private", "x-amz-meta-colour": "blue", "tagging": tags})
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    status, answer, headers = form.send({**fields, "x-ignore-me": "1", "x-amz-checksum-sha256": digest}, data)
    assert (status, answer, headers["ETag"]) == (204, "", '"%s"' % hashlib.md5(data).hexdigest())
    got = s3.get_object(Bucket=b, Key="up/foo.txt")
    assert (got["Body"].read(), got["ContentType"], got["Metadata"], got["TagCount"]) == (data, "text/csv", {"colour": "blue"}, 1)


def test_success_is_told_as_the_form_asks(form, s3, b):
    conditions = [ANY_KEY, ["starts-with", "$success_action_status", ""], ["starts-with", "$success_action_redirect", "http"]]
    for asked, status in (("200", 200), ("201", 201), ("204", 204), ("404", 204)):
        answer = form.send(form.signed(conditions[:2], key="k ü", success_action_status=asked))
        assert answer[0] == status and ("<Key>k ü</Key>" in answer[1]) == (asked == "201")
    etag = s3.head_object(Bucket=b, Key="k ü")["ETag"]
    status, _, headers = form.send(form.signed([conditions[0], conditions[2]], key="k ü", success_action_redirect="http://h/done?x=1"))
    assert (status, headers["Location"]) == (303, f"http://h/done?x=1&bucket={b}&key={urllib.parse.quote('k ü')}&etag={urllib.parse.quote(etag)}")


def test_form_is_refused_unless_policy_and_signature_allow_all_of_it(form, s3, b, store):
    signed = form.signed
    spoiled = signed([ANY_KEY], key="k")
    cases = [({"key": "k"}, 403, "AccessDenied"), ({**spoiled, "signature": "x"}, 403, "SignatureDoesNotMatch"),
             ({**spoiled, "AWSAccessKeyId": "x"}, 403, "InvalidAccessKeyId"), ({k: v for k, v in spoiled.items() if k != "signature"}, 400, "InvalidArgument"),
             ({**spoiled, "key": ""}, 400, "InvalidArgument"), ({**spoiled, "x-amz-meta-a": "1"}, 403, "AccessDenied"),
             ({**spoiled, "x-obs-meta-a": "1"}, 403, "AccessDenied"), ({**spoiled, "acl": "public-read"}, 403, "AccessDenied"),
             (signed([["starts-with", "$key", "up/"]], key="k"), 403, "AccessDenied"), (signed([ANY_KEY], seconds=-9, key="k"), 403, "AccessDenied"),
             (signed([ANY_KEY, {"acl": "public-read"}], key="k", acl="public-read"), 400, "AccessControlListNotSupported"),
             (signed([ANY_KEY, {}], key="k"), 400, "InvalidPolicyDocument"), (signed([ANY_KEY, ["content-length-range", 0, 2]], key="k"), 400, "EntityTooLarge"),
             (signed([ANY_KEY, ["content-length-range", 4, 9]], key="k"), 400, "EntityTooSmall"),
             ({**spoiled, "x-amz-checksum-crc32": "AAAAAA=="}, 400, "BadDigest"), ({**spoiled, "x-amz-checksum-crc32": "bad"}, 400, "BadDigest"),
             ({**signed([ANY_KEY], "v4", key="k"), "x-amz-signature": "0"}, 403, "SignatureDoesNotMatch")]
    for fields, status, name in cases:
        assert code(form.send(fields)) == (status, name), fields
    assert code(form.send(spoiled, content_type="text/plain")) == (412, "PreconditionFailed")
    other = Poster(store, b)
    other.bucket = b + "-none"
    assert code(other.send(other.signed([ANY_KEY], key="k"))) == (404, "NoSuchBucket")
    assert keys(s3, b) == []


def test_form_of_a_limited_key_stays_within_its_grants(store, form, s3, b):
    wanted = f"<NewKey><User>u</User><Grant><Bucket>{b}</Bucket><Prefix>up/</Prefix><Write>true</Write></Grant></NewKey>".encode()
    answer = form.raw.v4("POST", "/?muster-keys", "UNSIGNED-PAYLOAD", {}, wanted)[1].decode()
    form.raw.s3 = {**form.raw.s3, "access_key": re.search("<AccessKey>(.*?)<", answer)[1], "secret_key": re.search("<SecretKey>(.*?)<", answer)[1]}
    assert code(form.send(form.signed([ANY_KEY], key="k"))) == (403, "AccessDenied")
    assert form.send(form.signed([ANY_KEY], key="up/k"))[0] == 204
    assert keys(s3, b) == ["up/k"] and body(s3, b, "up/k") == b"bar"


def test_form_that_boto3_presigns_works(store, s3, b):
    for version in "s3v4", "s3":
        post = client(store, signature_version=version).generate_presigned_post(b, f"by-{version}", Fields={"acl": "private"}, Conditions=[{"acl": "private"}])
        assert Poster(store, b).send(post["fields"], b"x" * 100_000)[0] == 204
        assert body(s3, b, f"by-{version}") == b"x" * 100_000


def test_form_that_is_cut_off_leaves_nothing(form, s3, b):
    fields = form.signed([ANY_KEY], key="k")
    text = "".join(f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
    text += '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nbytes'
    connection = http.client.HTTPConnection(form.raw.host, timeout=60)
    connection.request("POST", f"/{b}", text.encode(), {"Content-Type": "multipart/form-data; boundary=b"})
    answer = connection.getresponse()
    assert answer.status == 400 and b"MalformedPOSTRequest" in answer.read()
    connection.close()
    with pytest.raises(ClientError) as error:
        s3.head_object(Bucket=b, Key="k")
    assert code_of(error) == "404"
