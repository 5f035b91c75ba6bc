"""Reading the guards of TorchDynamo: from the text of one that failed to a cause, without PyTorch."""
