"""What language models bring on the AMT crowd."""
