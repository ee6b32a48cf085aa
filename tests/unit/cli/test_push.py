"""`benchwright push`: archives go through the service proxy with a signed token."""

import base64
import hashlib
import time
from pathlib import Path

import pytest

from benchwright_proxy.token import verify
from tests.unit.cli.conftest import Cli
from tests.unit.cli.fake_api import FakeApi

KEY = b"k" * 40


def secret(api: FakeApi, key: bytes = KEY, name: str = "signing") -> None:
    api.put("secrets", "benchwright-keys", {"data": {name: base64.b64encode(key).decode()}})


def test_streams_the_file_with_an_admin_token_and_prints_its_hash(
    api: FakeApi, cli: Cli, tmp_path: Path
) -> None:
    secret(api, KEY + b"\n")
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(b"x" * 300_000)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()

    result = cli("push", archive)

    assert (result.exit_code, result.output) == (0, f"{digest}  {archive}\n")
    (call,) = api.called("PUT")
    assert call.path == (
        "/api/v1/namespaces/default/services/http:benchwright-results:http/proxy/v1/archives/"
        + digest
    )
    assert call.body == archive.read_bytes()
    claims = verify(
        call.headers["X-Benchwright-Token"], [KEY], audience="results", now=int(time.time())
    )
    assert claims.role == "admin"
    assert claims.expires_at - time.time() < 1000
    assert call.headers["Authorization"] == "Bearer kube-token"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "Secret benchwright-keys in namespace default cannot be read"),
        ({"other": "eA=="}, "has no key 'signing'"),
        ({"signing": "%%"}, "key 'signing': "),
        ({"signing": base64.b64encode(b"short").decode()}, "at least 32 printable"),
    ],
)
def test_says_what_is_wrong_with_the_key(
    api: FakeApi, cli: Cli, tmp_path: Path, data: dict[str, str] | None, said: str
) -> None:
    (tmp_path / "a").write_bytes(b"x")
    if data is not None:
        api.put("secrets", "benchwright-keys", {"data": data})
    result = cli("push", tmp_path / "a")
    assert result.exit_code == 1
    assert said in result.output
    assert len(result.output.splitlines()) == 1


def test_forbidden_secret_says_what_to_do(api: FakeApi, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    api.refuse["GET", "/secrets/"] = (403, "secrets is forbidden")
    result = cli("push", tmp_path / "a")
    assert "push needs permission to read it; or set source.archive.url instead" in result.output


def test_a_refusal_of_the_service_is_passed_on(api: FakeApi, cli: Cli, tmp_path: Path) -> None:
    secret(api)
    (tmp_path / "a").write_bytes(b"x")
    api.refuse["PUT", "/proxy/"] = (400, "the archive has another sha256")
    result = cli("push", tmp_path / "a")
    assert result.exit_code == 1
    assert "says 400: the archive has another sha256" in result.output


def test_the_namespace_may_stand_before_or_behind(api: FakeApi, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    before, behind = cli("-n", "one", "push", tmp_path / "a"), cli("push", "a", "-n", "two")
    assert "in namespace one" in before.output
    assert behind.exit_code == 2  # there is no file a in this folder
    assert "in namespace two" in cli("push", tmp_path / "a", "-n", "two").output
