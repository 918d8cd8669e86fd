"""The paper's tables and figures, the speed bench, and what each group of features brings."""
