"""The experiments behind the documented figures of crowdseq: the paper again, and speed on this machine."""
