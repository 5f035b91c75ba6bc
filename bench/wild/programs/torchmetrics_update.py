"""Evaluation with TorchMetrics inside a compiled function: the metric counts its updates in a Python number."""

import torch
import torchmetrics

torch.manual_seed(0)
accuracy = torchmetrics.classification.BinaryAccuracy(validate_args=False)


@torch.compile(backend="aot_eager")
def evaluate(scores, labels):
    accuracy.update(scores, labels)
    return scores.mean()


for batch in range(12):
    evaluate(torch.rand(32), torch.randint(0, 2, (32,)))
print("accuracy", round(float(accuracy.compute()), 2))
