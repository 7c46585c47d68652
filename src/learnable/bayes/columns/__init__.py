"""What naive Bayes keeps of a column of a table: sums by class, from which log P(cell | class) follows."""

from learnable.bayes.columns.category_column import CategoryColumn
from learnable.bayes.columns.number_column import NumberColumn
from learnable.bayes.columns.text_column import TextColumn

__all__ = ["CategoryColumn", "NumberColumn", "TextColumn"]
