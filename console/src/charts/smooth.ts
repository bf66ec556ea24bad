// Exponential moving average without the bias of its beginning, as in TensorBoard: 0 is none, 0.99 the most.
export function smooth(values: (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return values;
  let sum = 0;
  let count = 0;
  return values.map((value) => {
    if (value === null || !Number.isFinite(value)) return value;
    sum = sum * weight + (1 - weight) * value;
    count++;
    return sum / (1 - weight ** count);
  });
}
