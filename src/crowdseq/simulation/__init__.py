"""A made-up crowd of known precision, out of gold tags."""

from crowdseq.simulation.annotators import Simulated, simulate, simulate_crowd
from crowdseq.simulation.profiles import PROFILES
from crowdseq.simulation.realised import Realised, RealisedAnnotator
from crowdseq.simulation.settings import CrowdSettings
from crowdseq.simulation.weights import ErrorWeights

__all__ = [
    "simulate",
    "simulate_crowd",
    "CrowdSettings",
    "ErrorWeights",
    "PROFILES",
    "Simulated",
    "Realised",
    "RealisedAnnotator",
]
