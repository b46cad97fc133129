/**
 * Finds the earliest SystemModstamp that a condition allows. Clients read large orgs in pages with the condition
 * `SystemModstamp > t OR (SystemModstamp = t AND Id > x)`. SQLite uses its index only with a separate condition that
 * excludes records older than t.
 */

import { parseMoment } from '../../metadata/value.ts';
import type { Comparison, Condition } from './condition.ts';

/**
 * Returns the earliest timestamp that can match, in milliseconds since 1970. Returns undefined if all timestamps can
 * match.
 */
export function stampFloor(condition: Condition): number | undefined {
  switch (condition.kind) {
    case 'compare':
      return floorOf(condition.comparison);
    case 'all':
      return highest(condition.parts.map(stampFloor));
    case 'any':
      return lowest(condition.parts.map(stampFloor));
    default:
      return undefined;
  }
}

function floorOf(comparison: Comparison): number | undefined {
  if (!('field' in comparison) || !('value' in comparison)) return undefined;
  const isStamp = comparison.field.toLowerCase() === 'systemmodstamp';
  const isFloor = ['=', '>', '>='].includes(comparison.operator);
  if (!isStamp || !isFloor || typeof comparison.value !== 'string') return undefined;
  return parseMoment(comparison.value);
}

function highest(floors: (number | undefined)[]): number | undefined {
  const known = floors.filter((floor) => floor !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Returns the lowest timestamp. If one branch has no lower limit, there is none. */
function lowest(floors: (number | undefined)[]): number | undefined {
  const known = floors.filter((floor) => floor !== undefined);
  return known.length < floors.length ? undefined : Math.min(...known);
}
