"""TLS: an upstream is believed by its certificate alone, and the port for agents can have one."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from benchwright_proxy.http1 import listener
from benchwright_proxy.jsonvalue import Json, JsonObject, as_list, as_object
from benchwright_proxy.yamlfile import FileError

from .helpers import FakeProvider, bearer, chat_body, claims, json_response, running, write_setup


def certificate(folder: Path, address: str) -> tuple[Path, Path]:
    """A self-signed certificate of an address, valid today, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    start = datetime.datetime.fromtimestamp(folder.stat().st_mtime, datetime.UTC)
    day = datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start - day)
        .not_valid_after(start + day)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / f"{address}.crt", folder / f"{address}.key"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert_file, key_file


@asynccontextmanager
async def tls_provider(cert: Path, key: Path) -> AsyncIterator[FakeProvider]:
    fake = FakeProvider([json_response(b"{}")])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0, ssl=context)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()


def over_tls(folder: Path, port: int, ca: Path | None) -> JsonObject:
    """A configuration whose OpenAI provider is reached by https."""
    providers: list[Json] = []
    for given in as_list(write_setup(folder, port)["providers"]):
        provider = as_object(given)
        if provider["name"] == "openai":
            provider["baseUrl"] = f"https://127.0.0.1:{port}/v1"
            provider |= {"caFile": str(ca)} if ca else {}
        providers.append(provider)
    return {"providers": providers}


@pytest.mark.parametrize(
    ("address", "own_ca", "status"),
    [("127.0.0.1", True, 200), ("127.0.0.1", False, 502), ("127.0.0.2", True, 502)],
    ids=["its own authority", "an authority that nobody knows", "another host's certificate"],
)
async def test_an_upstream_is_believed_by_its_certificate_alone(
    tmp_path: Path, address: str, own_ca: bool, status: int
) -> None:
    cert, key = certificate(tmp_path, address)
    async with tls_provider(cert, key) as fake:
        extra = over_tls(tmp_path, fake.port, cert if own_ca else None)
        async with running(tmp_path, fake.port, extra=extra) as proxy:
            reply = await proxy.chat("chat")
            call = (await proxy.settled())[0]
    assert reply.status == status
    assert len(fake.heard) == (status == 200)
    assert call["status"] == ("ok" if status == 200 else "unreachable")


async def test_agents_can_be_served_by_tls(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, "127.0.0.1")
    tls: Json = {"certFile": str(cert), "keyFile": str(key)}
    async with running(tmp_path, extra={"tls": tls}) as proxy:
        context = ssl.create_default_context(cafile=cert)
        url = proxy.data.replace("http://", "https://") + "/v1/chat/completions"
        headers = bearer(claims())
        async with proxy.http.post(url, json=chat_body(), headers=headers, ssl=context) as reply:
            assert reply.status == 200
        with pytest.raises(aiohttp.ClientError):
            await proxy.chat()
        assert (await proxy.total())["requests"] == 1


async def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    _, key = certificate(tmp_path, "127.0.0.1")
    tls: Json = {"certFile": str(tmp_path / "none.crt"), "keyFile": str(key)}
    with pytest.raises(FileError, match=r"none\.crt: not usable"):
        async with running(tmp_path, extra={"tls": tls}):
            pass


async def test_who_never_agrees_on_tls_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", 0.1)
    cert, key = certificate(tmp_path, "127.0.0.1")
    tls: Json = {"certFile": str(cert), "keyFile": str(key)}
    async with running(tmp_path, extra={"tls": tls}) as proxy:
        reader, writer = await asyncio.open_connection(*proxy.proxy.data_address)
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()
