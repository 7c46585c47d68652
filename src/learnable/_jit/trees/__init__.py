"""Kernels that grow trees and lead rows to their leaves."""
