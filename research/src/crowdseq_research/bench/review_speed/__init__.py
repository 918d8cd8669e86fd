"""How quick the review app is on a run of 100,000 sentences, with 20 reviewers, and in a browser."""
