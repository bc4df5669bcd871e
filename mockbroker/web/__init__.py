"""The live page: HTML, style sheets and ES modules, served as they are."""
