/** Collects a connector's results in forms that the tests can check. */
import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '../../src/core/contact.ts';
import type { FieldValues } from '../../src/core/crm-field.ts';
import type {
  Connector,
  ContactChange,
  ContactPage,
  RecordLookup,
  WriteResult,
} from '../contract.ts';
import { expectThat, show } from './expect.ts';

/**
 * The maximum number of batches in a reading. Without a maximum, a reading whose cursor does not move would never end.
 */
const MOST_PORTIONS = 10_000;

/** Reads all items into an array. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length > MOST_PORTIONS) throw new Error('The reading does not end.');
  }
  return collected;
}

export function collectPages(connector: Connector, cursor: string | null): Promise<ContactPage[]> {
  return collect(connector.readPages(cursor));
}

export function write(
  connector: Connector,
  changes: readonly ContactChange[],
): Promise<WriteResult[]> {
  return collect(connector.write(changes));
}

export async function stopAfterFirst(
  items: AsyncIterable<unknown>,
  stop: AbortController,
): Promise<void> {
  for await (const _ of items) stop.abort();
}

export function listIds(pages: readonly ContactPage[]): string[] {
  return pages.flatMap(({ contacts }) => contacts.map(({ id }) => id));
}

export function listRemoved(
  pages: readonly ContactPage[],
): { id: string; mergedInto: string | null }[] {
  return pages.flatMap(({ removed }) => removed);
}

export function lastCursor(pages: readonly ContactPage[]): string | null {
  return pages.at(-1)?.cursor ?? null;
}

export function byId(pages: readonly ContactPage[]): Map<string, Contact> {
  return new Map(pages.flatMap(({ contacts }) => contacts.map((contact) => [contact.id, contact])));
}

export function getValues(lookup: RecordLookup | undefined): FieldValues | null {
  return lookup?.state === 'found' ? lookup.values : null;
}

export function findResult(results: readonly WriteResult[], id: string): WriteResult | undefined {
  return results.find((result) => result.id === id);
}

/**
 * Fails unless `all` contains each item of `some`, and shows the missing items. `what` is the name of the list. `hint`
 * tells the author how to fix the mistake.
 */
export function assertIncludes(
  all: Iterable<unknown>,
  some: readonly unknown[],
  what: string,
  hint: string,
): void {
  const known = [...all];
  const missing = some.filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  expectThat(missing.length === 0, {
    ...{ what, hint },
    expected: `${show(missing)} among them`,
    actual: show(known),
  });
}

/** Returns some of the items, from the beginning, the middle and the end. Two of the returned items are neighbours. */
export function someOf<Item>(items: readonly Item[]): Item[] {
  const at = (share: number) => Math.floor((items.length - 1) * share);
  const chosen = new Set([1, 2, at(1 / 3), at(1 / 2), at(4 / 5)]);
  return items.filter((_, position) => chosen.has(position));
}

export const SHORT_PAGE_HINT =
  'A page can be shorter than requested, or empty, although others follow: many CRMs drop rows that the key cannot see after they have cut the page. Read until the CRM says that nothing follows (a cursor, a total), and never until a page is short.';

export const HIDDEN_PAGE_HINT =
  'A page can be empty although others follow: the key may see none of its rows. Go on while the CRM names a next page, and end only when it names none. If the CRM does not say whether another page follows, compare with its total and throw.';

/**
 * The maximum number of hidden rows. If a page has thousands of rows, a test with more hidden rows would take too long.
 */
const MOST_HIDDEN = 500;

/**
 * Hides the rows of the first page. Then also hides the rows of the second page. After each step, runs the check with
 * the IDs of the visible rows.
 */
export async function hidePages(
  ids: readonly string[],
  size: number,
  vanish: ((id: string) => Promise<void>) | undefined,
  check: (left: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const start of [0, size]) {
    const end = start + size;
    if (end > MOST_HIDDEN || end >= ids.length) return;
    for (const id of ids.slice(start, end)) await vanish?.(id);
    await check(ids.slice(end));
  }
}
