"""The real process: started, killed, started again."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchwright_proxy.cli import main
from benchwright_proxy.jsonvalue import JsonObject, as_object, dump
from benchwright_proxy.token import sign

from .helpers import KEY, chat_body, claims, write_setup

SLOW = """\
name: demo
match:
  - when: {contains: slow}
    then: {text: "a b c d e f g h", chunks: 8, chunk_delay_seconds: 0.2}
turns:
  - {text: "quick", usage: {input_tokens: 100, cached_input_tokens: 60, output_tokens: 7}}
on_exhausted: repeat_last
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Process:
    process: "subprocess.Popen[bytes]"
    port: int
    admin_port: int

    def chat(self, **options: object) -> JsonObject:
        body = json.dumps({**chat_body(), **options}).encode()
        return self._read(f"http://127.0.0.1:{self.port}/v1/chat/completions", "workspace", body)

    def usage(self) -> JsonObject:
        url = f"http://127.0.0.1:{self.admin_port}/v1/usage?trial_uid=uid-1&attempt=1"
        return self._read(url, "operator")

    def _read(self, url: str, role: str, body: bytes | None = None) -> JsonObject:
        headers = {"x-api-key": sign(claims(role=role), KEY)}
        request = urllib.request.Request(url, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            return as_object(json.load(response))

    def ready(self) -> None:
        for _ in range(1000):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/readyz", timeout=1)
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise AssertionError("the proxy did not start")


def config_file(folder: Path, dialogue: str) -> Path:
    path = folder / "config.yaml"
    path.write_bytes(dump(write_setup(folder, 1, dialogue)))  # JSON is YAML
    return path


@contextmanager
def started(folder: Path) -> Iterator[Process]:
    config = config_file(folder, SLOW)
    port, admin = free_port(), free_port()
    command = [sys.executable, "-m", "benchwright_proxy", "serve", "--config", str(config)]
    command += ["--journal", str(folder / "journal"), "--key-file", str(folder / "signing-key")]
    command += ["--host", "127.0.0.1", "--port", str(port), "--admin-port", str(admin)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            running = Process(process, port, admin)
            running.ready()
            yield running
        finally:
            process.kill()


def start_stream(process: Process) -> socket.socket:
    """A slow stream of which the first words have come."""
    connection = socket.create_connection(("127.0.0.1", process.port), timeout=10)
    body = json.dumps(chat_body(stream=True, messages=[{"role": "user", "content": "slow"}]))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nx-api-key: {sign(claims(), KEY)}\r\n"
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    got = b""
    while b'"content":"a' not in got:
        part = connection.recv(65536)
        assert part, got
        got += part
    return connection


def test_kill_9_in_the_middle_of_a_stream_loses_nothing(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        process.chat()
        process.chat()
        with start_stream(process):
            process.process.send_signal(signal.SIGKILL)
            process.process.wait()
    journal = tmp_path / "journal" / "journal-00000001.jsonl"
    assert [json.loads(line)["t"] for line in journal.open()] == [
        "dispatch", "settle", "dispatch", "settle", "dispatch",
    ]  # fmt: skip
    with journal.open("ab") as file:
        file.write(b'{"v":1,"t":"settle","call":"torn')
    with started(tmp_path) as process:
        usage = process.usage()
        total = as_object(usage["total"])
        assert (usage["interrupted"], usage["in_flight"]) == (1, 0)
        assert (total["requests"], total["succeeded"], total["failed"]) == (3, 2, 1)
        assert (total["unknown_usage"], total["output_tokens"]) == (1, 14)
        assert (total["input_tokens"], total["cached_input_tokens"]) == (200, 120)
        assert as_object(process.chat()["usage"])["completion_tokens"] == 7
        assert as_object(process.usage()["total"])["output_tokens"] == 21
        process.process.send_signal(signal.SIGTERM)
        assert process.process.wait(10) == 0


def test_check_dialogue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.yaml"
    path.write_text("{name: d, turns: [{text: x}]}")
    assert main(["check-dialogue", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: dialogue 'd': 1 turns, 0 matches\n"
    path.write_text("{name: d, turns: [{text: x, fault: nope}]}")
    assert main(["check-dialogue", str(path)]) == 1
    assert f"benchwright-proxy: {path}: turns[0].fault" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("config.yaml", "config.yaml: expected a mapping"),
        ("signing-key", "signing-key: expected a key of at least 32"),
        ("journal", "journal: "),
    ],
)
def test_a_start_that_fails_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoil: str, says: str
) -> None:
    config = config_file(tmp_path, SLOW)
    (tmp_path / spoil).write_text("")
    arguments = ["serve", "--config", str(config), "--journal", str(tmp_path / "journal")]
    arguments += ["--key-file", str(tmp_path / "signing-key"), "--host", "127.0.0.1"]
    assert main([*arguments, "--port", "0", "--admin-port", "0"]) == 1
    assert says in capsys.readouterr().err
