"""What Debian's maintainer scripts would have written, as far as our images need it."""

import shutil
from pathlib import Path

USER = "benchwright"
ID = 1000
HOME = f"home/{USER}"

_MERGED = ("bin", "sbin", "lib", "lib64")
_LINKS = {
    "usr/bin/awk": "mawk",
    "usr/bin/which": "which.debianutils",
    "usr/bin/pager": "less",
}
_DIRECTORIES = ("dev", "etc", HOME, "proc", "root", "run", "sys", "var/log", "workspace")
_SHARED = ("tmp", "var/tmp")


def finish_base(root: Path) -> None:
    """Make the lowest layer a system: merged /usr, users, names, certificates."""
    for name in _MERGED:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in (*_DIRECTORIES, *_SHARED):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in _SHARED:
        (root / name).chmod(0o1777)
    _users(root)
    shutil.copy(root / "usr/share/libc-bin/nsswitch.conf", root / "etc/nsswitch.conf")
    _certificates(root)


def link_alternatives(root: Path) -> None:
    """The names that update-alternatives would give to the programs that are there."""
    for name, target in _LINKS.items():
        link = root / name
        if (link.parent / target).exists() and not link.exists():
            link.symlink_to(target)


def _users(root: Path) -> None:
    masters = root / "usr/share/base-passwd"
    passwd = (masters / "passwd.master").read_text().replace(":/bin/bash", ":/bin/sh")
    passwd = passwd.replace(":*:", ":x:")
    group = (masters / "group.master").read_text().replace(":*:", ":x:")
    account = f"{USER}:x:{ID}:{ID}::/{HOME}:/bin/sh\n"
    (root / "etc/passwd").write_text(passwd + account)
    (root / "etc/group").write_text(f"{group}{USER}:x:{ID}:\n")


def _certificates(root: Path) -> None:
    """Debian's own certificates in one bundle, where OpenSSL and GnuTLS look for it.

    They come from the package, never from this machine, whose network may have its own CA.
    """
    sources = sorted((root / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    bundle = root / "etc/ssl/certs/ca-certificates.crt"
    bundle.parent.mkdir(parents=True, exist_ok=True)
    bundle.write_text("".join(source.read_text().rstrip("\n") + "\n" for source in sources))
    openssl = root / "usr/lib/ssl"
    openssl.mkdir(parents=True, exist_ok=True)
    (openssl / "certs").symlink_to("/etc/ssl/certs")
    (openssl / "cert.pem").symlink_to("/etc/ssl/certs/ca-certificates.crt")
