"""The kernel cache: never stale, never in the way, no files shared."""

import pytest

from rfop_env.core import rule as rule_module
from rfop_env.core.rule import JIT, kernel, rule, source_stamp

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")


@rule
def doubled(x):
    """A rule that a kernel closes over."""
    return 2 * x


@rule
def tripled(x):
    """Another."""
    return 3 * x


def make(inner):
    """A kernel factory: all its kernels have the same code."""

    def run(x):
        return inner(x)

    return run


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source folder, with the cache beside it."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "rules.py").write_text("a = 1\n")
    return folder


def files(source, name):
    """The compiled files of a kernel, by folder."""
    found = sorted((source.parent / "cache" / "rfop" / name).rglob("*.nbc"))
    return {path.parent.name: path.name for path in found}


def test_a_kernel_is_compiled_once_and_then_loaded(source, capfd):
    assert kernel(make(doubled), "game.run", (source,))(4) == 8
    assert "compiling game.run" in capfd.readouterr().err
    before = files(source, "game.run")
    assert len(before) == 1
    assert kernel(make(doubled), "game.run", (source,))(5) == 10
    assert capfd.readouterr().err == "" and files(source, "game.run") == before


def test_an_edited_source_is_compiled_anew_and_an_undone_edit_is_not(source):
    kernel(make(doubled), "game.run", (source,))(1)
    first = source_stamp((source,))
    (source / "rules.py").write_text("a = 2\n")
    assert source_stamp((source,)) != first
    assert kernel(make(tripled), "game.run", (source,))(4) == 12, "a stale kernel was loaded"
    assert len(files(source, "game.run")) == 2
    (source / "rules.py").write_text("a = 1\n")
    assert source_stamp((source,)) == first
    assert kernel(make(doubled), "game.run", (source,))(4) == 8
    assert len(files(source, "game.run")) == 2


def test_a_new_or_renamed_source_counts(source):
    stamps = {source_stamp((source,))}
    (source / "more.py").write_text("")
    stamps.add(source_stamp((source,)))
    (source / "more.py").rename(source / "less.py")
    stamps.add(source_stamp((source,)))
    assert len(stamps) == 3


def test_two_kernels_of_one_factory_do_not_share_files(source):
    for _ in range(2):  # compiled, then loaded
        assert kernel(make(doubled), "game.double", (source,))(7) == 14
        assert kernel(make(tripled), "game.triple", (source,))(7) == 21
    assert set(files(source, "game.double").values()).isdisjoint(files(source, "game.triple").values())


def test_without_a_writable_folder_everything_works(source, monkeypatch, capfd):
    monkeypatch.setenv("RFOP_CACHE_DIR", str(source / "rules.py"))  # a file: no folder can be made in it
    assert kernel(make(doubled), "game.run", (source,))(4) == 8
    assert "no folder can be written" in capfd.readouterr().err


def test_a_folder_without_write_permission_is_left_alone(source, monkeypatch):
    monkeypatch.setattr(rule_module.os, "access", lambda *_: False)
    assert kernel(make(doubled), "game.run", (source,))(4) == 8
    assert files(source, "game.run") == {}


def test_the_announcement_can_be_silenced(source, monkeypatch, capfd):
    monkeypatch.setenv("RFOP_QUIET", "1")
    kernel(make(doubled), "game.run", (source,))(4)
    assert capfd.readouterr().err == ""


def test_kernels_of_two_rule_sets_in_one_folder_have_two_names():
    import toy_game

    from rfop_env.core.batch import rules_name

    names = {rules_name(game.rules) for game in (toy_game.two_player(), toy_game.solo(), toy_game.leaky())}
    assert len(names) == 2  # the first two share their rules
