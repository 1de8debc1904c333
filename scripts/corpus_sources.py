"""Where programs come from, and what tells which sources they are made of: for scripts/corpus."""

import os
import pathlib
import re
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "corpus"


class Skip(Exception):
    """A program that cannot be had here."""


# ---- Where programs come from ----------------------------------------------------------------------------------------


def debian(package, *patterns):
    """The upstream part of a Debian source package."""

    def get(into):
        lists = WORK / "apt"
        (lists / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        sources = lists / "sources.list"
        if not sources.exists():
            release = dict(re.findall(r'(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text()))
            suite = release.get("VERSION_CODENAME", "bookworm")
            sources.write_text(f"deb-src http://deb.debian.org/debian {suite} main\n")
        apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=/dev/null"]
        apt += ["-o", f"Dir::State::Lists={lists / 'lists'}"]
        if not list((lists / "lists").glob("*_Sources*")):
            quiet([*apt, "update"])
        # The packaging is not needed: when only that is missing, the upstream part is there all the same.
        subprocess.run([*apt, "--download-only", "source", package], cwd=lists, capture_output=True, check=False)
        tars = [t for t in lists.glob(f"{package}_*.orig.tar.*") if t.suffix != ".asc"]
        if not tars:
            raise Skip(f"apt-get has no source of {package} here")
        unpack(tars[0], into, patterns)

    return get


def pypi(package, *patterns):
    """A source distribution of PyPI."""

    def get(into):
        folder = WORK / "pypi"
        folder.mkdir(parents=True, exist_ok=True)
        quiet(["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", package], folder)
        tars = list(folder.glob(package.replace("-", "_") + "-*.tar.gz"))
        if not tars:
            raise Skip(f"pip has no source of {package} here")
        unpack(tars[0], into, patterns)

    return get


def wheel(package, pattern):
    """The files of a package of PyPI as it is installed whose paths match."""

    def get(into):
        folder = WORK / "pypi"
        folder.mkdir(parents=True, exist_ok=True)
        quiet(["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", package], folder)
        wheels = list(folder.glob(package.replace("-", "_") + "-*.whl"))
        if not wheels:
            raise Skip(f"pip has no {package} here")
        with zipfile.ZipFile(wheels[0]) as archive:
            archive.extractall(into, [n for n in archive.namelist() if re.search(pattern, n)])

    return get


def git(repository, pattern):
    """The files of a repository that is there already (CORPUS_GIT) whose paths match."""

    def get(into):
        bare = pathlib.Path(os.environ.get("CORPUS_GIT", "/nonexistent")) / repository.replace("/", "+") / "repo"
        bare = bare / ".git" if (bare / ".git").exists() else bare
        if not bare.exists():
            raise Skip(f"no copy of {repository} in CORPUS_GIT")
        listing = quiet(["git", f"--git-dir={bare}", "ls-tree", "-r", "--name-only", "-z", "HEAD"])
        paths = [p for p in listing.decode(errors="replace").split("\0") if p and re.search(pattern, p)]
        into.mkdir(parents=True, exist_ok=True)
        for some in range(0, len(paths), 500):
            unpack_git(bare, paths[some : some + 500], into)

    return get


def unpack_git(bare, paths, into):
    """Files of a repository; those that a copy of it lacks are left out."""
    command = ["git", f"--git-dir={bare}", "archive", "--format=tar", "HEAD", "--", *paths]
    tar = subprocess.run(command, capture_output=True, check=False)
    if tar.returncode == 0:
        subprocess.run(["tar", "-xf", "-", "-C", str(into)], input=tar.stdout, check=True)
    elif len(paths) > 1:
        half = len(paths) // 2
        unpack_git(bare, paths[:half], into)
        unpack_git(bare, paths[half:], into)


def quiet(command, folder=None):
    """Runs a command; its output."""
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=900).stdout
    except (OSError, subprocess.SubprocessError) as e:
        said = getattr(e, "stderr", None) or b""
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        raise Skip(f"{' '.join(command[:2])}: {last[0] if last else e}") from e


def unpack(tar, into, patterns):
    into.mkdir(parents=True, exist_ok=True)
    chosen = ["--wildcards", *patterns] if patterns else []
    quiet(["tar", "-xf", str(tar), "-C", str(into), "--strip-components=1", *chosen])


# ---- What a program compiles ----


def find(folder, pattern):
    return sorted(folder.glob(pattern))


def parts(folder, name, pieces):
    """One source made of files and of strings."""
    out = WORK / "joined" / folder.name / f"{name}.cl"
    out.parent.mkdir(parents=True, exist_ok=True)
    texts = [p.read_text(errors="replace") if isinstance(p, pathlib.Path) else p for p in pieces]
    out.write_text("\n".join(texts))
    return out
