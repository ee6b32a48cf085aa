"""What a trial has cost, over all of its attempts."""

from benchwright.api.base import Count, Model
from benchwright.api.measurements import Number


class Spent(Model):
    """Usage of all attempts together, those included that were invalid and given up.

    A sum that lacks anything is None; the known parts beside are lower bounds then.
    """

    attempts: Count
    """Attempts that were made."""
    unknown_attempts: Count = 0
    """Attempts of which not everything is known."""
    requests: Count | None = None
    """Model calls."""
    input_tokens: Count | None = None
    """Input, cached included."""
    cached_input_tokens: Count | None = None
    """Of these, read from the provider's cache."""
    output_tokens: Count | None = None
    """Output, reasoning included."""
    reasoning_tokens: Count | None = None
    """Of these, reasoning."""
    cost_usd: Number | None = None
    """Money."""
    known_requests: Count = 0
    """Calls that are known of."""
    known_input_tokens: Count = 0
    """Input of the calls whose usage is known."""
    known_output_tokens: Count = 0
    """Output of the calls whose usage is known."""
