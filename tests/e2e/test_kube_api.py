#!/usr/bin/env python3
"""What convoy launch and sweep submit to Kubernetes, held against a real kube-apiserver: its own defaults, validation, admission.

    tests/e2e/test_kube_api.py CONVOY FOLDER [PART...]    FOLDER: of tools/kube_api.sh; run by scripts/deep.sh kube_api

An API server with its etcd alone, in a network namespace of the test's own: objects are taken and kept, and nothing runs them.
Needs root, and kubectl.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

from harness import new_bench

INSIDE = "CONVOY_TEST_INSIDE"  # the network namespace
TOKEN = "a-token-of-the-test"
CONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: %s}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
""" % TOKEN
FLEET = """\
kubernetes:
  image: registry.example/convoy:1
  resources: {limits: {cpu: "2", memory: 1Gi}}
  volumeMounts: [{name: data, mountPath: FOLDER}]
  pod:
    volumes: [{name: data, persistentVolumeClaim: {claimName: fleet}}]
    nodeSelector: {disk: fast}
"""
PLAN = "scenario: e2e.yaml\naxes: {seed: 1..8}\nmetrics: {distance_m: totals.distance_m}\n"


@contextlib.contextmanager
def api(bench, folder):
    """The server, until the block ends."""
    here = bench.folder / "kube"
    here.mkdir()
    subprocess.run(["openssl", "genrsa", "-out", here / "sa.key", "2048"], check=True, capture_output=True)
    subprocess.run(["openssl", "rsa", "-in", here / "sa.key", "-pubout", "-out", here / "sa.pub"], check=True, capture_output=True)
    (here / "tokens.csv").write_text(f'{TOKEN},admin,1,"system:masters"\n')
    (here / "config").write_text(CONFIG)
    bench.environment["KUBECONFIG"] = str(here / "config")
    store = ("http://127.0.0.1:2379", "http://127.0.0.1:2380")
    server = max(folder.glob("kube-apiserver-*"), key=lambda path: path.name)
    commands = {
        "etcd": [folder / "etcd", "--data-dir", here / "data", "--listen-client-urls", store[0], "--advertise-client-urls", store[0],
                 "--listen-peer-urls", store[1]],
        "api": [server, f"--etcd-servers={store[0]}", "--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=AlwaysAllow",
                "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={here}/sa.pub",
                f"--service-account-signing-key-file={here}/sa.key", f"--cert-dir={here}/certs", "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1", "--secure-port=6443", f"--token-auth-file={here}/tokens.csv",
                "--disable-admission-plugins=ServiceAccount"]}
    running = []
    try:
        for name, command in commands.items():
            with open(here / f"{name}.log", "wb") as log:
                running.append(subprocess.Popen(command, stdout=log, stderr=log))
        for _ in range(300):
            if "ok" in kubectl(bench, "get", "--raw", "/readyz").stdout:
                break
            time.sleep(0.3)
        else:
            raise RuntimeError((here / "api.log").read_text()[-2000:])
        print(f"{server.name} is ready")
        yield
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()


def kubectl(bench, *words, given=None):
    return subprocess.run(["kubectl", *map(str, words)], env=bench.environment, input=given, capture_output=True, text=True, check=False, timeout=60)


def written(b):
    """The manifests of a run and of a sweep, as --dry-run prints them."""
    fleet, plan = b.folder / "fleet.yaml", b.folder / "plan.yaml"
    fleet.write_text(FLEET.replace("FOLDER", str(b.folder)))
    plan.write_text(PLAN)
    told = ("--engine", "kubernetes", "--engine-file", fleet)
    return (b.expect(0, "^{", None, "launch", b.scenario, *told, "--hosts", "2", "--sensor-hosts", "1", "--dry-run").stdout,
            b.expect(0, "^{", None, "sweep", plan, "--out", b.folder / "speeds", *told, "--dry-run").stdout)


def taken(b):
    """The server takes all objects of a run and of a sweep (server-side dry run), and finds what is wrong with a faulty one."""
    run, sweep = written(b)
    for manifest, kinds in ((run, ("service", "configmap", "job.batch")), (sweep, ("job.batch",))):
        said = kubectl(b, "create", "--dry-run=server", "-f", "-", given=manifest)
        b.check(said.returncode == 0, "the server takes it", said.stdout, said.stderr)
        for kind in kinds:
            b.check(f"{kind}/convoy-" in said.stdout, f"a {kind}", said.stdout)
    for right, wrong in (('"Indexed"', '"Indexd"'), ('"backoffLimitPerIndex": 0', '"backoffLimitPerIndex": -1'), ('"restartPolicy": "Never"', '"restartPolicy": "Always"')):
        b.check(right in run, f"there is a {right}", run)
        said = kubectl(b, "create", "--dry-run=server", "-f", "-", given=run.replace(right, wrong))
        b.check(said.returncode != 0 and "is invalid" in said.stderr, f"{wrong} is refused", said.stdout, said.stderr)


def strict(b):
    """No field is unknown to the server: it warns of those, and drops them."""
    run, sweep = written(b)
    paths = {"Service": "/api/v1/namespaces/default/services", "ConfigMap": "/api/v1/namespaces/default/configmaps", "Job": "/apis/batch/v1/namespaces/default/jobs"}
    for manifest in (run, sweep):
        document = json.loads(manifest)
        for item in document.get("items", [document]):
            for planted in (False, True):
                if planted:
                    item["spec" if "spec" in item else "data"]["noSuchField"] = 7
                said = subprocess.run(["curl", "-sk", "-X", "POST", "-H", f"Authorization: Bearer {TOKEN}", "-H", "Content-Type: application/json", "--data-binary", "@-",
                                       f"https://127.0.0.1:6443{paths[item['kind']]}?dryRun=All&fieldValidation=Strict"], input=json.dumps(item), capture_output=True, text=True, check=True)
                refused = json.loads(said.stdout)["kind"] == "Status"
                b.check(refused == planted, f"{item['kind']}: {'an unknown field is refused' if planted else 'each field is known'}", said.stdout[:800])


def submitted(b):
    """A job is submitted, looked at and cancelled; the secret's value is in the Secret alone."""
    folder = b.folder / "job"
    b.expect(0, f"^{folder}$", "kubernetes job", "launch", b.scenario, "--engine", "kubernetes", "--engine-file", b.folder / "fleet.yaml", "--hosts", "2",
             "--detach", "--job-folder", folder)
    name = json.loads((folder / "job.json").read_text())["job"]
    job = json.loads(kubectl(b, "get", "job", name, "-o", "json").stdout)
    b.check(job["spec"]["completions"] == 3 and job["spec"]["completionMode"] == "Indexed", "the Job is there", job)
    secret = json.loads(kubectl(b, "get", "secret", name, "-o", "json").stdout)
    b.check(secret["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"], "the Job owns the Secret", secret)
    value = next(iter(secret["data"].values()))
    b.check(len(value) > 30 and value not in json.dumps(job), "the secret's value is in the Secret alone")
    b.expect(0, "", None, "launch", "status", folder)
    b.expect(0, None, None, "launch", "cancel", folder)
    b.check("NotFound" in kubectl(b, "get", "job", name).stderr, "the Job is deleted")


PARTS = {part.__name__: part for part in (taken, strict, submitted)}


def main():
    convoy, folder, *wanted = sys.argv[1:]
    if INSIDE not in os.environ:
        inside = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvpe(inside[0], [*inside, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with new_bench(convoy) as b, api(b, pathlib.Path(folder).resolve()):
        b.run(PARTS, wanted)
    return b.result()


if __name__ == "__main__":
    sys.exit(main())
