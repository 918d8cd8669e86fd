"""The numbers that the paper prints (Lu and Chow, §V), typed once; F1 and the like in percent."""

TITLES = {
    "conll2003": "CoNLL 2003",
    "bc2gm": "BC2GM",
    "ncbi_disease": "NCBI-disease",
    "jnlpba": "JNLPBA",
}
METHODS = {
    "majority-vote": "MVtoken",
    "dawid-skene": "DS",
    "mace": "MACE",
    "sembler": "Sembler",
    "hmm-crowd": "HMM-Crowd",
    "sa-slc": "SA-SLC",
}
ANNOTATORS = (5, 10, 15)
PRECISIONS = (0.1, 0.3, 0.5, 0.7, 0.9)

# Table I: sentences or abstracts of the parts (train, dev, test), and labels.
TABLE_1 = {
    "conll2003": (6000, 2000, 3453, 9),
    "bc2gm": (8000, 4000, 5038, 3),
    "ncbi_disease": (400, 150, 200, 3),
    "jnlpba": (1000, 500, 500, 11),
}

# Tables II and III: mean and standard deviation over ten folds, and how SA-SLC compares with the method by
# the paper's paired t-test at 5 %: "better" (●), "worse" (○), "" for SA-SLC itself.
TABLES_2_3: dict[str, dict[str, tuple[float, float, str]]] = {
    "conll2003": {
        "majority-vote": (63.09, 4.70, "better"),
        "dawid-skene": (70.02, 4.35, "worse"),
        "mace": (64.21, 6.67, "better"),
        "sembler": (63.71, 4.95, "better"),
        "hmm-crowd": (69.17, 4.39, "worse"),
        "sa-slc": (69.74, 5.13, ""),
    },
    "bc2gm": {
        "majority-vote": (59.06, 0.58, "better"),
        "dawid-skene": (58.33, 1.17, "better"),
        "mace": (61.98, 0.71, "better"),
        "sembler": (63.59, 1.16, "better"),
        "hmm-crowd": (61.65, 1.25, "better"),
        "sa-slc": (64.71, 1.07, ""),
    },
    "ncbi_disease": {
        "majority-vote": (73.75, 2.81, "better"),
        "dawid-skene": (72.79, 3.19, "better"),
        "mace": (72.41, 2.55, "better"),
        "sembler": (74.79, 3.25, "better"),
        "hmm-crowd": (74.08, 3.16, "better"),
        "sa-slc": (75.59, 2.78, ""),
    },
    "jnlpba": {
        "majority-vote": (53.76, 1.84, "better"),
        "dawid-skene": (51.54, 0.95, "better"),
        "mace": (56.26, 1.96, "better"),
        "sembler": (54.27, 2.06, "better"),
        "hmm-crowd": (54.18, 2.06, "better"),
        "sa-slc": (58.14, 0.94, ""),
    },
}

# Tables VIII and IX: F1 on the test part for p = 0.1, 0.3, 0.5, 0.7, 0.9, by corpus, K and method.
TABLES_8_9: dict[str, dict[int, dict[str, tuple[float, float, float, float, float]]]] = {
    "conll2003": {
        5: {
            "majority-vote": (35.75, 49.20, 64.34, 67.97, 67.92),
            "dawid-skene": (31.67, 51.71, 65.53, 67.62, 67.96),
            "mace": (24.01, 40.93, 46.15, 53.73, 68.68),
            "sembler": (36.08, 44.00, 51.22, 61.02, 68.45),
            "hmm-crowd": (37.07, 43.72, 54.12, 62.35, 67.80),
            "sa-slc": (40.08, 46.91, 60.21, 63.56, 67.47),
        },
        10: {
            "majority-vote": (32.27, 63.61, 67.21, 68.25, 67.77),
            "dawid-skene": (38.25, 65.67, 66.59, 68.00, 67.82),
            "mace": (25.10, 45.09, 52.75, 55.23, 63.17),
            "sembler": (40.78, 47.28, 56.20, 66.31, 67.01),
            "hmm-crowd": (41.50, 47.29, 60.07, 68.30, 68.10),
            "sa-slc": (43.04, 48.32, 61.55, 66.92, 68.21),
        },
        15: {
            "majority-vote": (43.92, 66.09, 68.04, 67.78, 67.81),
            "dawid-skene": (46.24, 66.13, 67.70, 67.92, 67.82),
            "mace": (30.00, 48.85, 57.21, 60.25, 65.36),
            "sembler": (40.09, 52.32, 60.85, 65.71, 68.91),
            "hmm-crowd": (45.74, 55.65, 62.59, 66.75, 67.03),
            "sa-slc": (46.80, 57.00, 62.54, 65.38, 70.02),
        },
    },
    "bc2gm": {
        5: {
            "majority-vote": (48.38, 45.94, 46.77, 54.12, 58.00),
            "dawid-skene": (42.83, 44.96, 50.11, 58.24, 54.56),
            "mace": (30.49, 50.26, 59.82, 55.17, 61.86),
            "sembler": (47.00, 48.74, 60.24, 59.25, 65.20),
            "hmm-crowd": (42.05, 48.03, 59.90, 59.95, 62.38),
            "sa-slc": (50.00, 50.14, 62.29, 60.10, 67.26),
        },
        10: {
            "majority-vote": (47.01, 58.47, 66.86, 72.57, 72.05),
            "dawid-skene": (43.76, 48.79, 57.40, 57.25, 56.73),
            "mace": (38.91, 52.81, 61.74, 52.18, 56.79),
            "sembler": (48.95, 55.71, 61.46, 65.32, 71.04),
            "hmm-crowd": (45.50, 49.37, 55.39, 60.09, 63.97),
            "sa-slc": (52.31, 58.50, 66.27, 69.70, 71.31),
        },
        15: {
            "majority-vote": (51.63, 61.86, 71.49, 73.22, 73.25),
            "dawid-skene": (53.07, 46.74, 58.30, 50.70, 56.69),
            "mace": (44.56, 57.58, 62.36, 56.10, 56.72),
            "sembler": (52.45, 61.30, 69.24, 72.35, 74.23),
            "hmm-crowd": (50.01, 57.40, 68.32, 73.57, 71.02),
            "sa-slc": (55.19, 62.49, 70.05, 75.30, 77.26),
        },
    },
    "ncbi_disease": {
        5: {
            "majority-vote": (60.71, 64.73, 64.83, 61.51, 69.63),
            "dawid-skene": (58.24, 60.90, 69.19, 69.68, 71.33),
            "mace": (44.69, 51.86, 62.70, 67.91, 69.60),
            "sembler": (56.11, 61.59, 67.60, 68.94, 65.90),
            "hmm-crowd": (55.90, 61.25, 62.79, 68.65, 70.25),
            "sa-slc": (60.94, 65.17, 70.25, 70.50, 75.27),
        },
        10: {
            "majority-vote": (61.30, 65.98, 67.17, 70.81, 72.47),
            "dawid-skene": (58.79, 67.36, 69.83, 66.61, 73.50),
            "mace": (45.51, 58.00, 62.09, 69.43, 73.17),
            "sembler": (60.23, 66.26, 69.27, 71.55, 71.68),
            "hmm-crowd": (62.45, 67.24, 69.45, 70.52, 71.09),
            "sa-slc": (64.70, 69.38, 69.71, 72.02, 72.35),
        },
        15: {
            "majority-vote": (63.66, 69.69, 70.17, 71.55, 73.43),
            "dawid-skene": (61.05, 67.73, 70.62, 68.52, 73.43),
            "mace": (50.02, 58.47, 68.36, 71.08, 72.56),
            "sembler": (63.30, 68.25, 69.83, 72.26, 72.50),
            "hmm-crowd": (63.68, 69.27, 69.74, 72.01, 71.90),
            "sa-slc": (66.20, 70.31, 70.24, 71.38, 72.74),
        },
    },
    "jnlpba": {
        5: {
            "majority-vote": (34.42, 41.49, 52.22, 60.64, 64.14),
            "dawid-skene": (16.44, 27.92, 41.92, 49.52, 50.50),
            "mace": (28.50, 40.52, 46.62, 51.71, 56.70),
            "sembler": (32.73, 40.97, 43.20, 56.27, 55.32),
            "hmm-crowd": (29.54, 41.08, 47.27, 55.29, 62.31),
            "sa-slc": (37.62, 42.01, 52.80, 58.30, 58.37),
        },
        10: {
            "majority-vote": (31.70, 50.69, 60.00, 62.77, 62.58),
            "dawid-skene": (25.24, 38.80, 44.94, 47.09, 48.31),
            "mace": (31.76, 48.20, 52.37, 60.75, 62.25),
            "sembler": (35.00, 45.49, 53.28, 58.31, 61.77),
            "hmm-crowd": (35.21, 48.69, 53.74, 58.89, 62.20),
            "sa-slc": (38.50, 48.57, 55.90, 59.24, 62.61),
        },
        15: {
            "majority-vote": (37.05, 56.45, 63.53, 62.90, 63.17),
            "dawid-skene": (32.27, 42.19, 44.23, 45.61, 47.17),
            "mace": (32.50, 52.71, 53.89, 60.73, 63.09),
            "sembler": (37.27, 50.92, 57.25, 59.10, 62.07),
            "hmm-crowd": (37.08, 52.39, 57.10, 60.24, 61.05),
            "sa-slc": (39.15, 52.76, 58.31, 63.69, 64.52),
        },
    },
}

# Table X: precision, recall and F1 on CoNLL test, learned from 3,000 sentences of the Mechanical Turk crowd.
TABLE_10 = {
    "majority-vote": (67.80, 46.51, 51.01),
    "dawid-skene": (67.00, 47.73, 53.29),
    "mace": (63.32, 45.72, 51.32),
    "sembler": (71.02, 58.79, 62.47),
    "hmm-crowd": (69.82, 57.17, 61.42),
    "sa-slc": (72.71, 60.02, 64.14),
}


def published_f1(data: str, annotators: int, precision: float, method: str) -> float:
    """What tables VIII and IX print for a method on a crowd."""
    return TABLES_8_9[data][annotators][method][PRECISIONS.index(precision)]
