# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that run while examples are made, in a guest with the module.

Every scene starts programs with PIDs that do not change, so that documents can name them.
"""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import traceback

WORK = pathlib.Path("/tmp/examples")
# The pages of the pictures, each with its scene; and their profiles.
PAGES = {
    "report": ("programs", "profil report --html report.html profil.pb.gz"),
    "change": ("change", "profil report --html change.html --base old.pb.gz new.pb.gz"),
    "time": ("incident", "profil report --html time.html time.pb.gz"),
}
PAGE_PROFILES = {"profil.pb.gz", "old.pb.gz", "new.pb.gz", "time.pb.gz"}


def compile_words(share, top):
    """Compile the demo's words as before and after a change, as if their source was /src/words.cpp."""
    source = (top / "scripts/demo/words.cpp").read_text()
    faster = source.replace("round < 50", "round < 25")
    assert faster != source
    for name, text in ("old", source), ("new", faster):
        directory = share / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "words.cpp").write_text(text)
        subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-g1",
                        f"-ffile-prefix-map={directory}=/src", "-o", directory / "words",
                        directory / "words.cpp"], check=True)


def output_of(command, directory, build):
    """The output of a command, which may fail, as some examples do."""
    environment = {"PATH": f"{build}:{WORK}:{os.environ['PATH']}", "HOME": os.environ["HOME"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    return done.stdout


@contextlib.contextmanager
def program(pid, *command):
    """A program with a given PID that runs as long as the context."""
    for _ in range(50):
        pathlib.Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
        started = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=WORK, start_new_session=True)
        if started.pid == pid:
            break
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    else:
        raise RuntimeError(f"{command[0]} could not get PID {pid}")
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGTERM)
        started.wait()


class Scenes:
    def __init__(self, build, top, quick):
        self.build, self.top, self.settle = build, top, 0.2 if quick else 0.5
        # A copy that generate() has compiled, or else the program of make demo.
        words = build / "examples/old/words"
        self.install(words if words.exists() else build / "demo/words", top / "scripts/demo/words.cpp")

    def install(self, words, source):
        for file, place in (words, "/opt/app/words"), (source, "/src/words.cpp"):
            pathlib.Path(place).parent.mkdir(exist_ok=True)
            shutil.copy(file, place)

    def run(self, command):
        """Run a command that no document shows."""
        subprocess.run(["bash", "-ec", command], cwd=WORK, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "PATH": f"{self.build}:{os.environ['PATH']}"})

    @contextlib.contextmanager
    def programs(self):
        """Three programs of make demo."""
        demo = self.top / "scripts/demo"
        with program(4711, "/opt/app/words"), program(4712, "perl", str(demo / "work.pl")), \
                program(4713, "python3", str(demo / "work.py")):
            time.sleep(self.settle)
            yield

    @contextlib.contextmanager
    def machine(self):
        """A shell script of make demo: ls, grep, head, cp."""
        with program(4731, "bash", str(self.top / "scripts/demo/work.sh")):
            time.sleep(self.settle)
            yield

    @contextlib.contextmanager
    def change(self):
        """Profiles of words before and after a change."""
        for name in "old", "new":
            directory = self.build / "examples" / name
            self.install(directory / "words", directory / "words.cpp")
            with program(4711, "/opt/app/words"):
                time.sleep(self.settle)
                self.run(f"profil record -p 4711 -d 2 -o {name}.pb.gz")
        yield

    @contextlib.contextmanager
    def matrix(self):
        """A program with more memory than its cgroup may have, and ./small, which starts it there."""
        self.run(f"""cp {self.build}/tests/programs/cli_matrix matrix
            modprobe zram && echo 16M >/sys/block/zram0/disksize && mkswap -q /dev/zram0 && swapon /dev/zram0
            mkdir -p /sys/fs/cgroup/small && echo +memory >/sys/fs/cgroup/cgroup.subtree_control
            echo 12M >/sys/fs/cgroup/small/memory.max
            printf '#!/bin/sh\\necho $$ >/sys/fs/cgroup/small/cgroup.procs\\nexec "$@" >/dev/null\\n' >small
            chmod +x small""")
        yield

    @contextlib.contextmanager
    def recorded(self):
        """A program that is being recorded."""
        with program(4711, "/opt/app/words"), \
                program(4721, str(self.build / "profil"), "record", "-p", "4711", "-o", "recorded.pb.gz"):
            time.sleep(4 * self.settle)
            yield

    @contextlib.contextmanager
    def words(self):
        """One program."""
        with program(4711, "/opt/app/words"):
            time.sleep(self.settle)
            yield

    @contextlib.contextmanager
    def server(self):
        """A server that takes every profile."""
        class Taker(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802 (named by the library)
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        if (WORK / "profil.pb.gz").exists():
            shutil.copy(WORK / "profil.pb.gz", WORK / "app.pb.gz")
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
        taker = http.server.HTTPServer(("127.0.0.1", 4040), Taker)
        threading.Thread(target=taker.serve_forever, daemon=True).start()
        yield
        taker.shutdown()

    @contextlib.contextmanager
    def incident(self):
        """Eight seconds of a machine: a script throughout, words for two seconds, and then perl."""
        demo = self.top / "scripts/demo"
        with program(4731, "bash", str(demo / "work.sh")):
            record = subprocess.Popen([self.build / "profil", "record", "-a", "--slice", "100ms", "-d", "8", "-o",
                                       "time.pb.gz"], cwd=WORK, stderr=subprocess.DEVNULL)
            time.sleep(2)
            with program(4711, "/opt/app/words"):
                time.sleep(2)
            with program(4712, "perl", str(demo / "work.pl")):
                time.sleep(2)
            if record.wait():
                raise RuntimeError("profil record of the incident failed")
        yield


# The scene incident is for a picture alone.
ORDER = ("programs", "machine", "words", "recorded", "server", "change", "matrix", "incident")
# Scenes whose output has the same shape as that of other scenes, or of stored profiles.
NOT_QUICK = ("change", "matrix", "incident")


def run(commands, directory, build, top, only=(), quick=False):
    """Run the commands of each scene; leave what they print in printed.json, and their files.

    only: run these scenes alone, and keep the results of the others.
    quick: run for less time, and only the commands whose output needs a guest.
    """
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir()
    scenes = Scenes(build, top, quick)
    result = directory / "printed.json"
    printed = json.loads(result.read_text()) if only else {}
    unknown = (set(commands) | set(only)) - set(ORDER)
    if unknown:
        raise SystemExit(f"scripts/examples: there is no scene {' '.join(unknown)} in scenes.py")
    failed = []
    for scene in only or ORDER:
        if quick and scene in NOT_QUICK:
            continue
        try:
            with getattr(scenes, scene)():
                for command in commands.get(scene, []):
                    if not quick:
                        print(f"{scene}: {command}", flush=True)
                    short = re.sub(r" -d \d+", " -d 0.5", command) if quick else command
                    printed.setdefault(scene, {})[command] = output_of(short, WORK, build)
            result.write_text(json.dumps(printed, indent=1))
            for of, command in PAGES.values():
                if of == scene and not quick:
                    print(f"{scene}: {command}", flush=True)
                    scenes.run(command)
        except Exception:  # go on: the other scenes take a long time, too
            traceback.print_exc()
            failed.append(scene)
        for pattern in "*.pb.gz", "*.html":
            for file in WORK.glob(pattern):
                shutil.copy(file, directory)
    shutil.rmtree(WORK)
    if failed:
        raise SystemExit(f"scripts/examples: failed: {' '.join(failed)}; make these again: scripts/examples "
                         f"{' '.join(failed)}")
