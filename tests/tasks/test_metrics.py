import numpy as np
import pytest

from privge.tasks import accuracy, auc, average_precision, macro_f1


def test_accuracy_is_the_share_of_hits():
    assert accuracy(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])) == 0.75


def test_macro_f1_is_the_mean_over_classes():
    # class 0: F1 = 1; class 1: precision 1/2, recall 1, F1 = 2/3; class 2: precision 1, recall 1/2, F1 = 2/3
    assert macro_f1(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])) == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)


def test_auc_counts_pairs_in_order_and_ties_half():
    # 3 > 2, 3 > 1, 2 = 2 (half), 2 > 1
    assert auc(np.array([3.0, 2.0]), np.array([2.0, 1.0])) == pytest.approx(3.5 / 4)


def test_average_precision_is_the_mean_precision_at_the_positives():
    # order: +, -, +; precision at the positives: 1 and 2/3
    assert average_precision(np.array([3.0, 1.0]), np.array([2.0])) == pytest.approx((1 + 2 / 3) / 2)


def test_a_kind_of_pairs_without_any_is_refused():
    with pytest.raises(ValueError, match="both kinds"):
        auc(np.array([1.0]), np.array([]))
