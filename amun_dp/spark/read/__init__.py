"""From Parquet files on Spark to events and cases."""
