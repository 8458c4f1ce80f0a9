from .sampler import ElbowroomSampler


__all__ = ["ElbowroomSampler"]
