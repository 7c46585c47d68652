"""How ensembles are fitted: bags, forests, boosting."""
