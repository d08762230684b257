//! Stable sorts that share their code.
//!
//! The compiler translates the sort of the standard library anew for each type and order, to 10 KB of machine code.
//! These functions sort indices by a reference to a function, so the sort is compiled once. They are for lists whose
//! sort takes no noticeable time.

use std::cmp::Ordering;

/// Sorts items by an order. Equal items keep their order.
pub fn by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = indices(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    apply(&mut order, &mut |a, b| items.swap(a, b));
}

/// Sorts items by a key. Items with equal keys keep their order.
pub fn by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Returns the indices of a list in the order of its items.
fn indices(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Calls `swap` until each index of a list has the item whose index `order` states for it.
fn apply(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        // Each turn of this loop completes one index of a cycle of the permutation.
        while let Some(from) = order.get_mut(at).map(|from| std::mem::replace(from, at)).filter(|from| *from != start) {
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_the_standard_librarys(keys in prop::collection::vec(0..20u8, 0..60)) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
            by_key(&mut items, |(key, _)| std::cmp::Reverse(*key));
            prop_assert_eq!(items, expected);
        }
    }
}
