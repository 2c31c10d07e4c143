"""The report for people: charts, and the page around them. Pure: figures in, text out."""
