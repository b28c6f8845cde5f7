"""Publication of results: learning curves, baselines, tables, figures, and checks that published rows still hold."""
