"""The method of the article on Spark."""
