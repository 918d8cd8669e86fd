"""One cell: a crowd learned from with and without what is known of its words; or a tagger from gold."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.contract import Learned
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods import list_methods
from crowdseq.tagging.sequence_tagger import Context, SequenceTagger
from crowdseq.tagging.streams import KnowledgeSource
from crowdseq.workflows.knowing.choosing import LEAST_COVERED, LEAST_SPARED, USED, settle_knowledge
from crowdseq.workflows.knowing.knowledge import Knowledge
from crowdseq.workflows.knowing.word_vectors import UNLABELLED, VECTORS
from crowdseq.workflows.learning.plan import LearnPlan
from crowdseq.workflows.recipes import make_recipe
from crowdseq.workflows.run import Run
from crowdseq_research.cells.sources import digest_of, origin
from crowdseq_research.knowledge.checks import CHECK, CHECKED
from crowdseq_research.knowledge.costs import COSTS, compute_costs
from crowdseq_research.knowledge.texts import (
    AMT,
    CROWDS,
    NEWS,
    SEEDS,
    SIMULATED,
    gold_text,
    judging_text,
    knowledge_of,
)
from crowdseq_research.zoo.crowds import find_crowd
from crowdseq_research.zoo.figures import crowd_digest

PLAIN = "plain"
ROWS = (PLAIN, VECTORS, UNLABELLED)
DEV, TEST = "dev", "test"
_OURS = ("crowdseq.tagging.clusters", "crowdseq.numerics.words.skipgram", "crowdseq.evaluation.scores")
Key = dict[str, Any]


def knowledge_keys(*, quick: bool = False, final: bool = False) -> list[Key]:
    """All cells; quick: one small crowd; final: the parts that judge, when nothing is chosen any more."""
    if quick:
        return [_key("weak-ncbi", VECTORS, 0, DEV)]
    part = TEST if final else DEV
    keys = [_key(AMT, row, seed, part) for row in ROWS for seed in range(SEEDS if row != PLAIN else 1)]
    keys += [_key(NEWS, row, seed, part) for row in ROWS[:2] for seed in range(SEEDS if row != PLAIN else 1)]
    if final:
        return keys
    others = [name for name in CROWDS if name != AMT]
    keys += [_key(name, VECTORS, seed, DEV) for name in others for seed in range(SEEDS)]
    keys += [_key(name, PLAIN, seed, DEV) for name in SIMULATED for seed in range(SEEDS)]
    keys += [_key(name, CHECK, draw, DEV) for name, draws in CHECKED for draw in draws]
    return [*keys, _key(AMT, COSTS, 0, DEV)]


def _key(data: str, row: str, seed: int, part: str) -> Key:
    method = "gold" if data == NEWS else "sa-slc"
    return {"data": data, "row": row, "seed": seed, "part": part, "method": method, "settings": {}}


def knowledge_sources(method: str) -> str:
    """The digest of what decides a cell."""
    return digest_of(list_methods()[method].__module__, *_OURS)


def compute_knowledge(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """The cell of a key."""
    if key["row"] == COSTS:
        return compute_costs(data) | {"sources": knowledge_sources(key["method"])}
    begun = time.process_time()
    found = _gold_cell(key, data) if key["data"] == NEWS else _crowd_cell(key, data)
    seconds = round(time.process_time() - begun, 1)
    told = origin(make_recipe(key["method"], {}, 0), key["method"])
    bounds = {"least_spared": LEAST_SPARED, "least_covered": LEAST_COVERED}
    return {
        **found,
        "cpu_seconds": seconds,
        **told,
        "sources": knowledge_sources(key["method"]),
        "choice": bounds,
    }


def _crowd_cell(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Scores of the consensus without, with, and as chosen; of the chosen tagger where text can judge it."""
    name, seed, part = key["data"], key["seed"], key["part"]
    is_check = key["row"] == CHECK
    crowd = find_crowd(name).make(data, seed if is_check or name in SIMULATED else 0)
    judge = None if is_check else judging_text(name)
    if key["row"] == PLAIN:
        run = _learn(crowd, (), tagger=judge is not None)
        return {"without": _consensus(run.consensus, part), **_tagged(run.tagger, data, judge, part)}
    runs: list[Run] = []

    def learn(sources: tuple[KnowledgeSource, ...]) -> Learned:
        runs.append(_learn(crowd, sources, tagger=judge is not None))
        return runs[-1]

    kind = VECTORS if is_check else key["row"]
    made = knowledge_of(kind, crowd, data, 0 if is_check else seed)  # draws differ, clusters need not
    choice = settle_knowledge(made, learn, has_rounds=True)
    record = choice.knowledge.record[kind]
    tried = {"with": _consensus(runs[1].consensus, part)} if len(runs) > 1 else {}
    return {
        "without": _consensus(runs[0].consensus, part),
        **tried,
        "chosen": _consensus(choice.learned.consensus, part),
        **_tagged(choice.learned.tagger, data, judge, part),
        "used": record[USED],
        "coverage": record["coverage"],
        "crowd": crowd_digest(crowd),
    }


def _learn(
    crowd: Corpus, sources: tuple[KnowledgeSource, ...], *, tagger: bool, method: str = "sa-slc"
) -> Run:
    known = Knowledge(sources, {}) if sources else None
    return LearnPlan(make_recipe(method, {}, 0), tagger=tagger, knowledge=known).run(crowd)


def _consensus(consensus: Consensus, part: str) -> dict[str, float]:
    """Strict span F1, of a crowd in parts on `val` or `test`; and how far the text alone agrees."""
    corpus = consensus.corpus
    split = "val" if part == DEV else "test"
    kept = [sentence.extras.get("split", split) == split for sentence in corpus.sentences]
    gold = corpus.gold_tags.copy()
    gold[~np.repeat(np.array(kept), corpus.text.lengths)] = -1
    found = score_tags(gold, consensus.tag_ids, corpus.offsets, corpus.scheme).f1 or 0.0
    return {"score": found, "agreement": float(consensus.parameters.get("text_agreement") or 0.0)}


def _tagged(tagger: SequenceTagger | None, data: Path, corpus: str | None, part: str) -> dict[str, float]:
    if tagger is None or corpus is None:
        return {}
    text = gold_text(data, corpus, part)
    tags = tagger.tag_many(list(text.text.tokens), Context.of_text(text.text))
    ids = [text.scheme.index[tag] for sentence in tags for tag in sentence]
    found = score_tags(text.gold_tags, np.array(ids, np.int16), text.offsets, text.scheme)
    return {"tagger": found.f1 or 0.0}


def _gold_cell(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """The tagger trained on all of the gold news text."""
    train = gold_text(data, NEWS, "train")
    sources = () if key["row"] == PLAIN else knowledge_of(VECTORS, train, data, key["seed"]).sources
    run = _learn(train, sources, tagger=True, method="gold")
    return _tagged(run.tagger, data, NEWS, key["part"])
