"""Pass a method of an object whose attribute is set between calls: a new bound method each time, which reads it."""

import tensorflow as tf

FEWEST = 3
WHY = "One per value of the attribute: it is the same method of the same object, but no longer the same program."


class Thermostat:
    def __init__(self):
        self.target = 18.0

    def adjust(self, temperature):
        return temperature + 0.5 * (self.target - temperature)


def run(function):
    @function
    def settle(rule, temperature):
        return rule(rule(temperature))

    thermostat, outputs = Thermostat(), []
    for target in (18.0, 18.0, 21.0, 21.0, 16.0, 16.0):
        thermostat.target = target
        outputs.append(settle(thermostat.adjust, tf.constant([10.0, 30.0])))
    return outputs
