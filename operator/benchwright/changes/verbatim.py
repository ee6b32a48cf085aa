"""Trees whose files are their blobs' very bytes, whatever a .gitattributes in them says."""

ATTRIBUTES = "* -text -filter -ident !working-tree-encoding\n"
"""For a repository's info/attributes, which has the last word."""
