"""Speed on this machine, beside the rivals that are installed, and what each group of features brings."""
