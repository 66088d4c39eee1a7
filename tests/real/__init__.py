"""Everything the laws claim, asked of the real vLLM: see conftest.py for how a run goes."""
