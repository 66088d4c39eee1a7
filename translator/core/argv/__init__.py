"""Read `vllm serve` command lines exactly as a version's own parser does, and write them."""
