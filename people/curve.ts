/** A rising curve through known points. Between points, it is a straight line on a logarithmic scale. */

/** Points `[position, value]` in ascending order of position. Every value is above 0. */
export type Curve = readonly (readonly [position: number, value: number])[];

/** Returns the curve's value at a position. The curve is level before the first point and after the last one. */
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
