"""The method of the article, one module per step: ``step1_annotation`` to ``step7_compression``."""
