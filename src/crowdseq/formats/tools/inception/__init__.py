"""INCEpTION, WebAnno and UIMA."""
