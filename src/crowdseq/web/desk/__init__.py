"""What a reviewer does at a run, one module for each thing; doors such as the browser call these."""
