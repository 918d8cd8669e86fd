"""The first run of a kind says that it compiles; later ones and --quiet say nothing."""

import os
import subprocess
import sys
from pathlib import Path

from builders import random_corpus
from crowdseq.formats.models.taggers import save_tagger
from crowdseq.tagging.crf import CrfTrainer


def test_only_the_first_run_says_that_it_compiles(tmp_path: Path) -> None:
    corpus = random_corpus(1, sentences=20)
    save_tagger(CrfTrainer(features="basic", chunks="own").fit(corpus, corpus.gold_tags), tmp_path / "model")

    def tag(cache: str, *options: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "crowdseq", "tag", str(tmp_path / "model"), "-", *options],
            input="Ada met Babbage\n",
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / cache)},
        )
        return done.stderr

    first, second = tag("kept"), tag("kept")
    assert first.startswith("compiling what this run needs and is not compiled yet: ")
    assert "once:" not in first
    assert len(first.splitlines()) == 1
    assert "compiling" not in second
    assert "compiling" not in tag("other", "--quiet")
