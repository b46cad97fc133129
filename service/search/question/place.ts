/** Reads the parts of a question about where people live. */

import type { Filters } from '../criteria.ts';
import { readCityNames, STATES, stateOf } from '../places.ts';
import { type Clause, clausePattern, LEAD } from './clause.ts';

const LIVES = String.raw`(?:(?:lives?|living|residing|resides?|based|located)\s+)`;

/**
 * Returns the kinds of statements about places. If the service does not know a city, the question must say that someone
 * lives there.
 */
export function placeClauses(): Clause[] {
  const cities = anyOf(readCityNames());
  const states = anyOf([...STATES.keys()]);
  const letters = anyOf([...STATES.values()]);
  const state = `(?:,?\\s+(?<state>${states}|${letters})\\b)?`;
  return [
    {
      pattern: clausePattern(
        `${LEAD}${LIVES}?\\b(?:in|from|near|around)\\s+(?:the\\s+)?(?:city of\\s+)?(?<city>${cities})\\b${state}`,
      ),
      read({ group, after }, filters) {
        // A text such as "from Boston College" is about a college and not about a city.
        return /^\s+(?!I\b)\p{Lu}/u.test(after)
          ? undefined
          : setPlace(filters, group('city'), group('state'));
      },
    },
    {
      pattern: clausePattern(
        `${LEAD}${LIVES}?\\b(?:in|from)\\s+(?:the\\s+)?(?:state of\\s+)?(?<state>${states})\\b`,
      ),
      read({ group, after }, filters) {
        return /^\s+(?!I\b)\p{Lu}/u.test(after)
          ? undefined
          : setPlace(filters, undefined, group('state'));
      },
    },
    {
      pattern: clausePattern(`\\b(?<city>${cities})(?:-based|\\s+residents)\\b`),
      read: ({ group }, filters) => setPlace(filters, group('city'), undefined),
    },
    {
      pattern: clausePattern(
        `${LEAD}${LIVES}(?:in|near|around)\\s+(?<city>[\\p{L}.'-]+(?:\\s+(?!and\\b|who\\b|with\\b|or\\b)[\\p{L}.'-]+){0,2}?)${state}(?=\\s*(?:[|,;]|$)|\\s+(?:and|who|with|or)\\b)`,
      ),
      read: ({ group }, filters) => setPlace(filters, group('city'), group('state')),
    },
  ];
}

function setPlace(filters: Filters, city: string | undefined, stateText: string | undefined) {
  const state = stateText === undefined ? undefined : stateOf(stateText);
  if (filters.city !== undefined || filters.state !== undefined) {
    return { reason: 'the question says this twice, and the first one counts' };
  }
  filters.city = city;
  filters.state = state;
  return { meaning: `lives in ${[city, state].filter((part) => part !== undefined).join(', ')}` };
}

/**
 * Returns a pattern that matches any of the names. The longest names come first. In any other order, "New York" would
 * be read as "York".
 */
function anyOf(names: readonly string[]): string {
  return names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');
}
