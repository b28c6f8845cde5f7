"""Replays: an episode as a small text file that anybody can read, check and watch.

`replay_file.py` reads and writes the file, `recorder.py` records a game while it is played, `moments.py` plays a
file again, position by position, `page.py` makes the one-file page. docs/play.md describes the file.
"""

from rfop_env.replays.recorder import Recorder
from rfop_env.replays.replay_file import BadReplay, Decision, Replay

__all__ = ["BadReplay", "Decision", "Recorder", "Replay"]
