"""A Gaussian process of GPyTorch whose kernel is compiled, refitted with one row more each time."""

import gpytorch
import torch

torch.manual_seed(0)
x = torch.rand(14, 1)
y = torch.sin(6.0 * x[:, 0])
kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())


@torch.compile(backend="aot_eager", dynamic=False)
def covariance(x):
    return kernel(x).to_dense()


for rows in range(9, 15):
    matrix = covariance(x[:rows]) + 0.1 * torch.eye(rows)
    fit = torch.distributions.MultivariateNormal(torch.zeros(rows), matrix)
    print(rows, "rows", round(float(fit.log_prob(y[:rows])), 2))
