"""Where the next trial is: SPSA, grids and the samplers of Optuna."""
