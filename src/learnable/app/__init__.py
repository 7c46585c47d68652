"""The face: the command line, the report and model files.

`learnable learn | predict | certify | show`; see `learnable --help`. With `--json` each command prints exactly one JSON
object on stdout. Its "schema" names its form, and within one schema fields are added but never renamed or removed:

- `learnable.learn/1`: the fields of `learnable.app.result.LearnResult`, and "files": {"report": path, "model": path};
- `learnable.plan/1` (`learn --dry-run`): the fields of `learnable.app.learn.Plan`;
- `learnable.predict/1`: "rows", "target", "task", "predictions", "classes", "probabilities" (rows by classes, or null),
  "warnings", "model", "data", "file";
- `learnable.certify/1`: "holds", "training_data" (the digest shows that the rows are those trained on), "rows",
  "claims", "learner", "model", "data";
- `learnable.show/1`: the card of the model, whose form is `learnable.app.model_files.card_form.FORM`;
- `learnable.watch/1`: "model", "states", "frames", "status", "verdict", "file", "replaced";
- `learnable.error/1`: "error", one line.

Numbers that are not finite are null. Exit codes: 0 all well; 1 a claim of a certificate fails; 2 bad usage or data; 3 a
bug in learnable; 130 interrupted.
"""
