"""Telling: a recording and its diagnoses in, a text or a document out."""
