"""A Gaussian process of GPyTorch that gets one more measurement at a time."""

import gpytorch
import torch

torch.manual_seed(0)
kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())


@torch.compile(backend="aot_eager", dynamic=False)
def covariance(x):
    return kernel(x).to_dense()


x = torch.rand(20, 1)
y = torch.sin(6 * x[:, 0])
with torch.no_grad():
    for rows in range(6, 18):
        matrix = covariance(x[:rows]) + 0.1 * torch.eye(rows)
        likelihood = torch.distributions.MultivariateNormal(torch.zeros(rows), matrix).log_prob(y[:rows])
        print(f"{rows} measurements: {likelihood:.3f}")
