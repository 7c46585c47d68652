"""What a linear fit says: inference, margins, log-odds, what ridge does, orthogonalisation."""
