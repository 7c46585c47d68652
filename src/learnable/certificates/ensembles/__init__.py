"""What is proved of ensembles."""
