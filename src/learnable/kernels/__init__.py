"""Kernels, support vector machines and other learners in the features of a kernel."""

from typing import TYPE_CHECKING

from learnable.lazy import import_when_used

if TYPE_CHECKING:
    from learnable.kernels.alignment import alignment
    from learnable.kernels.bilinear import Bilinear
    from learnable.kernels.c_path import CPath, svm_c_path
    from learnable.kernels.hard_margin_svc import HardMarginSVC, NotSeparable
    from learnable.kernels.kernel_classifier import KernelClassifier
    from learnable.kernels.kernel_perceptron import KernelPerceptron
    from learnable.kernels.kernel_regressor import KernelRegressor
    from learnable.kernels.kernel_ridge import KernelRidge
    from learnable.kernels.kernel_ridge_path import KernelRidgePath, kernel_ridge_path
    from learnable.kernels.linear_svc import LinearSVC
    from learnable.kernels.linear_svr import LinearSVR
    from learnable.kernels.nadaraya_watson import NadarayaWatson
    from learnable.kernels.not_semidefinite import NotSemidefinite
    from learnable.kernels.nu_svc import NuSVC
    from learnable.kernels.nu_svr import NuSVR
    from learnable.kernels.nystroem import Nystroem
    from learnable.kernels.one_class_svm import OneClassSVM
    from learnable.kernels.rbf_sampler import RBFSampler
    from learnable.kernels.rkhs import EigenExpansion, RKHSFunction, eigen_expansion, representer
    from learnable.kernels.spline_regression import SplineRegression
    from learnable.kernels.svc import SVC
    from learnable.kernels.svm_report import SVMReport, svm_report
    from learnable.kernels.svr import SVR
    from learnable.kernels.verdict import KernelVerdict, empirical_map, verdict
    from learnable.problems.kernels.basic import (
        RBF,
        FunctionKernel,
        Laplacian,
        Linear,
        Polynomial,
        Precomputed,
        Sigmoid,
    )
    from learnable.problems.kernels.chi_squared import AdditiveChiSquared, ChiSquared
    from learnable.problems.kernels.kernel import Kernel
    from learnable.problems.kernels.machines import C_of, C_without_half, lambda_of
    from learnable.problems.kernels.named import as_kernel
    from learnable.problems.kernels.proof import Proof

__all__ = [
    "RBF",
    "SVC",
    "SVR",
    "AdditiveChiSquared",
    "Bilinear",
    "CPath",
    "C_of",
    "C_without_half",
    "ChiSquared",
    "EigenExpansion",
    "FunctionKernel",
    "HardMarginSVC",
    "Kernel",
    "KernelClassifier",
    "KernelPerceptron",
    "KernelRegressor",
    "KernelRidge",
    "KernelRidgePath",
    "KernelVerdict",
    "Laplacian",
    "Linear",
    "LinearSVC",
    "LinearSVR",
    "NadarayaWatson",
    "NotSemidefinite",
    "NotSeparable",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "Polynomial",
    "Precomputed",
    "Proof",
    "RBFSampler",
    "RKHSFunction",
    "SVMReport",
    "Sigmoid",
    "SplineRegression",
    "alignment",
    "as_kernel",
    "eigen_expansion",
    "empirical_map",
    "kernel_ridge_path",
    "lambda_of",
    "representer",
    "svm_c_path",
    "svm_report",
    "verdict",
]

import_when_used(__name__)
