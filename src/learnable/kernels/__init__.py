"""Kernels, support vector machines and other learners in the features of a kernel."""

from learnable.kernels.linear_svc import LinearSVC
from learnable.kernels.linear_svr import LinearSVR
from learnable.kernels.nu_svc import NuSVC
from learnable.kernels.nu_svr import NuSVR
from learnable.kernels.one_class_svm import OneClassSVM
from learnable.kernels.svc import SVC
from learnable.kernels.svr import SVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM"]
