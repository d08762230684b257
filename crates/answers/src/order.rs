//! Sorts short lists of all types with the same code. A separate sort for each type would add a few kilobytes to a
//! browser's download.

/// Returns the items, sorted by a pair of numbers for each item. The sort is stable.
pub fn by_numbers<T>(items: Vec<T>, numbers: impl Fn(&T) -> (u64, u64)) -> Vec<T> {
    let key = |(index, item): (usize, &T)| {
        let (first, second) = numbers(item);
        (first, second, index)
    };
    let mut order: Vec<(u64, u64, usize)> = items.iter().enumerate().map(key).collect();
    order.sort_unstable();
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|(_, _, index)| items.get_mut(index)?.take()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_ones_stay() {
        let items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        let sorted = super::by_numbers(items, |(number, _)| (*number, 0));
        assert_eq!(sorted, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }
}
