"""What any text is made of: words (`words`), what was pasted into it (`pasted`), pieces of it to show (`snippets`); and
names that are like another (`nearest`).

Pure and without knowledge of sessions. Hooks load some of these modules, so nothing is imported here.
"""
