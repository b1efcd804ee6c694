"""When should a model rather not answer: the models, the goal, the rows for an expert, and one row's story."""
