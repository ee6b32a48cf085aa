"""The results service: task sources, evidence, facts, verdicts, records and reports."""
