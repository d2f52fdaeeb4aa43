"""Doctor: what must hold around the product before it starts, each told in a sentence."""
