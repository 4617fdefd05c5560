"""What must stay inside: the original beside the release. Every figure is confidential."""
