"""Profiles of public groups: the mean of every feature in each, with intervals from the exactly known noise."""

from privge.profiles.communities import find_communities
from privge.profiles.groups import Groups, read_groups
from privge.profiles.profile import Demands, Profile, expected, profile

__all__ = ["Demands", "Groups", "Profile", "expected", "find_communities", "profile", "read_groups"]
