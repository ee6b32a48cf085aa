"""Recorded answers of providers, and their replay: a run can be had again without a provider."""
