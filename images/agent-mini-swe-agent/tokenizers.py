"""Stands in for the package of this name, which litellm imports to count tokens of hub models.

It is 11 MB, needs libstdc++, and its models would come from the internet. With
`disable_hf_tokenizer_download` litellm counts with tiktoken; what a model used is what the proxy
and the model's answers say, in any case.
"""


class Tokenizer:
    """Only its name is used."""
