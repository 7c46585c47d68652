"""Kernels, support vector machines and other learners in the features of a kernel."""

from learnable.kernels.svc import SVC

__all__ = ["SVC"]
