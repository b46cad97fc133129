/**
 * Derives the earliest SystemModstamp that a condition allows. Clients page through large orgs by `SystemModstamp > t
 * OR (SystemModstamp = t AND Id > x)`. For this query, SQLite needs a separate condition that no record is older than
 * t. Otherwise it does not use its index.
 */

import { parseMoment } from '../../metadata/value.ts';
import type { Comparison, Condition } from './condition.ts';

/**
 * Returns the earliest timestamp that can match, in milliseconds since 1970. Returns undefined if any timestamp can
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

/** One branch without a lower bound matches records of any age. */
function lowest(floors: (number | undefined)[]): number | undefined {
  const known = floors.filter((floor) => floor !== undefined);
  return known.length < floors.length ? undefined : Math.min(...known);
}
