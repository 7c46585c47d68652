"""What is minimised: layers, losses and penalties of neural networks, for NumPy arrays and tensors alike."""
