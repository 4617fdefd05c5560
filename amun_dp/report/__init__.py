"""The public report: what is published beside a released log, as data and as a page."""
