import { type AddressText, houseKeysIn } from './addresses.ts';
import type { DonorIndex } from './donor-index.ts';
import type { Reading } from './names.ts';
import { formsOf } from './nicknames.ts';
import { spellingsOf } from './spellings.ts';

/**
 * The maximum number of donors that the matcher compares for each name and initial. A name of more donors does not
 * distinguish the donors, but the index of houses can still find them.
 */
const MOST_OF_ONE_NAME = 3_000;
const MOST_OF_AN_INITIAL = 300;
const MOST_OF_A_HOUSE = 50;
/** The maximum number of parts of a very long name that the search tries. */
const MOST_PARTS = 4;

/** Yields the numbers of the donors to compare. Pauses between index lookups. */
export function* findCandidates(
  index: DonorIndex,
  readings: readonly Reading[],
  addresses: readonly AddressText[],
): Generator<void, Set<number>> {
  const found = new Set<number>();
  const add = (numbers: readonly number[]) => {
    for (const number of numbers) found.add(number);
  };
  for (const key of new Set(addresses.flatMap(houseKeysIn))) {
    add(index.inHouse(key, MOST_OF_A_HOUSE));
    yield;
  }
  for (const reading of readings) {
    const lasts = lastNamesOf(index, reading);
    const firsts = firstNamesOf(index, reading);
    for (const last of lasts) {
      for (const first of firsts) {
        add(few(index.named(last, first, MOST_OF_ONE_NAME + 1)));
        yield;
      }
      if (reading.first.length === 1) {
        const bearers = index.withInitial(last, reading.first, MOST_OF_AN_INITIAL + 1);
        add(bearers.length > MOST_OF_AN_INITIAL ? [] : bearers);
      }
    }
  }
  return found;
}

/**
 * Returns the numbers if there are only a few. If there are too many, returns none, because a limited list might lack
 * the right donor.
 */
function few(numbers: readonly number[]): readonly number[] {
  return numbers.length > MOST_OF_ONE_NAME ? [] : numbers;
}

function lastNamesOf(index: DonorIndex, { last, lastParts, middles }: Reading): Set<string> {
  const own = [last, ...lastParts.slice(0, MOST_PARTS)];
  const spelled = own.map(spellingOf).filter((one) => !own.includes(one));
  const former = middles.slice(0, MOST_PARTS).filter((middle) => middle.length > 2);
  return new Set([...own, ...own.flatMap(index.similarLastNames), ...spelled, ...former]);
}

/**
 * Returns a different spelling of a last name. For example, "Gruenwaelder" may be stored as "Grünwälder", whose
 * comparable form is "grunwalder".
 */
function spellingOf(last: string): string {
  return last.replaceAll(/([aou])e/g, '$1');
}

function firstNamesOf(index: DonorIndex, { first, middles }: Reading): Set<string> {
  const others = middles.slice(0, MOST_PARTS);
  const forms = [...formsOf(first), ...spellingsOf(first)].filter(
    (form) => index.countFirstName(form) > 0,
  );
  return new Set([
    first,
    ...forms,
    ...index.similarFirstNames(first),
    ...others,
    [first, ...others].join(''),
    first.slice(0, 1),
  ]);
}
