"""A repository somewhere else."""

import os
import subprocess
from pathlib import Path


class Origin:
    """A repository somewhere else; its trees are made as no checkout would."""

    def __init__(self, folder: Path):
        self.path, self.url = folder, f"file://{folder}"
        folder.mkdir()
        self.run("init", "--quiet", "--initial-branch=main")
        self.run("config", "uploadpack.allowAnySHA1InWant", "true")

    def run(self, *args: str, data: bytes = b"") -> str:
        env = {
            **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }  # fmt: skip
        command = ["git", "-C", str(self.path), *args]
        done = subprocess.run(command, input=data, capture_output=True, check=True, env=env)
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, bytes], **modes: str) -> str:
        """Without an index: names that git itself would refuse come through too."""
        stream = [b"commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 0\ndeleteall\n"]
        for path, data in files.items():
            mode = modes.get(path.replace("/", "_"), "100644")
            quoted = b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(path)) + b'"'
            if mode == "160000":
                stream.append(b"M 160000 %b %b\n" % (b"1" * 40, quoted))
            else:
                stream.append(
                    b"M %b inline %b\ndata %d\n%b\n" % (mode.encode(), quoted, len(data), data)
                )
        self.run("fast-import", "--quiet", "--force", data=b"".join(stream))
        return self.run("rev-parse", "main")
