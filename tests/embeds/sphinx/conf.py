project = "Packed sequences"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_js_files = [("packscope/packscope-view.js", {"type": "module"})]
exclude_patterns = ["out", "_static"]
