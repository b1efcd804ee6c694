"""Decision surfaces over a plane of two features."""
