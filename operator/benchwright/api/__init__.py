"""The resources and files that users write, as pydantic models; crds/ is generated from them."""
