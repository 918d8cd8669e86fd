"""A made-up crowd of known precision, out of gold tags."""

from crowdseq.simulation.annotators import Simulated, simulate, simulate_crowd
from crowdseq.simulation.profiles import PROFILES, ErrorWeights
from crowdseq.simulation.realised import Realised, RealisedAnnotator
from crowdseq.simulation.settings import CrowdSettings

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
