"""The page that puts our results beside those of the paper: tables, figures and an honest reading."""
