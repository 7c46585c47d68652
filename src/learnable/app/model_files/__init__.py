"""Model files: what is in them, how they are examined, and what their cards say."""
