"""Where the web server listens: what cannot be is refused in words, before anything is started."""

import errno
import socket

import pytest

from publisher.processes import web


@pytest.mark.parametrize("port", [-1, 0, 65536, 99999])
def test_a_port_that_no_machine_has_is_told(port: int) -> None:
    assert web.trouble("127.0.0.1", port).startswith(f"There is no port {port}. Choose one from 1")


@pytest.mark.parametrize("host", ["nohost.invalid", "a" * 70 + ".x", "\udcff"])
def test_a_host_that_nobody_knows_is_no_port_in_use(host: str) -> None:
    assert "There is no host" in web.trouble(host, 8000)


def test_an_address_of_another_machine_is_told() -> None:
    assert "no address of this machine" in web.trouble("192.0.2.1", 8000)


def test_a_port_in_use_is_told_with_another_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"Port {port} is in use" in web.trouble("127.0.0.1", port)
    assert web.trouble("127.0.0.1", port) == ""


def test_a_port_of_the_system_alone_is_no_port_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(socket.socket):
        """As for anybody but the administrator, who may run these tests."""

        def bind(self, address: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket, "socket", Kept)
    assert web.trouble("127.0.0.1", 80).startswith("Port 80 is kept for the system.")
