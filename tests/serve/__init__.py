"""The local web page: who may ask, what may be read, jobs, and the whole of it in a real browser."""
