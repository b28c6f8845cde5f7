"""The command `rfop serve`: the link, the end, and what stops it."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import rfop_env
from rfop_env.cli.main import main
from rfop_env.web import serve

COMMAND = [sys.executable, "-m", "rfop_env", "serve", "--no-browser"]


def heed_ctrl_c():
    """Jobs that a shell runs in the background ignore Ctrl-C, and so would all processes that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def serving(tmp_path):
    """A server in a process of its own, from a folder outside of the checkout; its output as it comes."""
    root = str(Path(rfop_env.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        COMMAND,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_ctrl_c,
    )
    yield process
    process.kill()
    process.communicate()


def read_link(process):
    words = process.stdout.readline()
    assert words.startswith("Play at http://127.0.0.1:")
    return words.removeprefix("Play at ").strip()


def test_the_link_opens_the_page_and_ctrl_c_ends_the_server(serving):
    link = read_link(serving)
    with urllib.request.urlopen(link, timeout=20) as answer:
        assert answer.status == 200
        assert "server" not in answer.headers
        assert b"main.js" in answer.read()
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(link.partition("?")[0], timeout=20)
    refused.value.close()
    assert refused.value.code == 403

    serving.send_signal(signal.SIGINT)
    _, errors = serving.communicate(timeout=20)
    assert serving.returncode == 130
    assert "Traceback" not in errors


def test_no_other_machine_reaches_it(serving):
    """The port is free on every address but 127.0.0.1."""
    port = int(read_link(serving).split(":")[2].partition("/")[0])
    with socket.socket() as listener:
        listener.bind(("127.0.0.2", port))
    with socket.socket() as rival, pytest.raises(OSError, match="in use"):
        rival.bind(("127.0.0.1", port))


def test_a_port_in_use_is_refused_in_one_line(capsys):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert main(["serve", "--no-browser", "--port", str(port)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert 'pip install "rfop-env[play]"' in capsys.readouterr().err


def test_the_browser_is_opened_unless_it_is_not_wanted(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    assert main(["serve", "--saves", str(tmp_path)]) == 0
    assert opened == [capsys.readouterr().out.split()[2]]
    assert main(["serve", "--no-browser"]) == 0
    assert len(opened) == 1


def test_behind_a_proxy_the_link_is_its_address(monkeypatch, capsys):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    for url in ("https://hub.example/user/me/proxy/8000", "https://hub.example/user/me/proxy/8000/"):
        assert main(["serve", "--no-browser", "--url", url]) == 0
        assert "Play at https://hub.example/user/me/proxy/8000/?token=" in capsys.readouterr().out
    for text in ("hub.example", "ftp://hub.example/", "https://", "https://hub.example/?x=1", "https://[", ""):
        assert main(["serve", "--no-browser", "--url", text]) == 2
        assert "expected an address as in https://" in capsys.readouterr().err


def test_in_a_container_it_can_listen_at_every_address(monkeypatch, capsys):
    addresses = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: addresses.append(sockets[0].getsockname()[0]))
    assert main(["serve", "--no-browser"]) == 0
    assert main(["serve", "--no-browser", "--host", "0.0.0.0"]) == 0
    assert addresses == ["127.0.0.1", "0.0.0.0"]
    assert capsys.readouterr().out.count("Play at http://127.0.0.1:") == 2
    assert main(["serve", "--no-browser", "--host", "203.0.113.1"]) == 2
    assert "203.0.113.1" in capsys.readouterr().err
