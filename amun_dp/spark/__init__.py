"""Releases on Spark DataFrames, for logs past one machine (docs/scale.md, docs/adr/0013-spark.md).

Needs the extra ``spark`` and Java 17. Importing this package imports no pyspark; using it does.
"""

from __future__ import annotations

from amun_dp.spark.article.article_plan import SparkPlan, plan_on_spark
from amun_dp.spark.certified.certified_plan import CertifiedSparkPlan, plan_certified_on_spark
from amun_dp.spark.engine.session import open_session
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.release import anonymize_on_spark

__all__ = [
    "CertifiedSparkPlan",
    "SparkPlan",
    "Stages",
    "anonymize_on_spark",
    "open_session",
    "plan_certified_on_spark",
    "plan_on_spark",
]
