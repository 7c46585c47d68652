"""The pictures of the report, one a file; each is inline SVG or None when the result has nothing to show."""
