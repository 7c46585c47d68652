"""Kernels, support vector machines and other learners in the features of a kernel."""

from learnable.kernels.hard_margin_svc import HardMarginSVC, NotSeparable
from learnable.kernels.kernel_classifier import KernelClassifier
from learnable.kernels.kernel_perceptron import KernelPerceptron
from learnable.kernels.kernel_regressor import KernelRegressor
from learnable.kernels.kernel_ridge import KernelRidge
from learnable.kernels.kernel_ridge_path import KernelRidgePath, kernel_ridge_path
from learnable.kernels.linear_svc import LinearSVC
from learnable.kernels.linear_svr import LinearSVR
from learnable.kernels.nu_svc import NuSVC
from learnable.kernels.nu_svr import NuSVR
from learnable.kernels.one_class_svm import OneClassSVM
from learnable.kernels.svc import SVC
from learnable.kernels.svr import SVR
from learnable.problems.kernels.basic import RBF

__all__ = [
    "RBF", "SVC", "SVR", "HardMarginSVC", "KernelClassifier", "KernelPerceptron", "KernelRegressor", "KernelRidge", "KernelRidgePath", "LinearSVC", "LinearSVR", "NotSeparable", "NuSVC", "NuSVR", "OneClassSVM",
    "kernel_ridge_path",
]
