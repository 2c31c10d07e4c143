"""Where knowledge meets the store and the files of others: what is asked and written there."""
