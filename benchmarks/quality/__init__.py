"""How good clusters are: peers and this library by one protocol on labelled sets. `python -m benchmarks.quality -h`."""
