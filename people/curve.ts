/**
 * A curve through known points, which rises from left to right. On a logarithmic scale, the curve is a straight line
 * between two points.
 */

/** Points `[position, value]` in ascending order of position. All values are greater than 0. */
export type Curve = readonly (readonly [position: number, value: number])[];

/** Returns the curve's value at a position. Before the first point and after the last point, the curve is level. */
export function valueOnCurve(curve: Curve, position: number): number {
  let before: readonly [number, number] | undefined;
  for (const point of curve) {
    if (position <= point[0]) return before ? valueBetween(before, point, position) : point[1];
    before = point;
  }
  if (!before) throw new RangeError('A curve needs at least one point');
  return before[1];
}

function valueBetween(
  [fromPosition, fromValue]: readonly [number, number],
  [toPosition, toValue]: readonly [number, number],
  position: number,
): number {
  const way = (position - fromPosition) / (toPosition - fromPosition);
  return fromValue * (toValue / fromValue) ** way;
}
