"""Data to try things on."""

from privge.datasets.synthetic import SocialNetwork, social_network

__all__ = ["SocialNetwork", "social_network"]
