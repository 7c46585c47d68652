"""How: k-means, mixtures, spectra and merges."""
