import type { ContactPage } from '../contract.ts';
import { readIdPages } from '../reading/id-pages.ts';
import { isNamed, toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { Row, Where } from './api.ts';
import { canonicalId, contactFields, NOT_IN_TRASH, PEOPLE, toContact } from './contact.ts';
import { readMerges } from './merges.ts';
import type { CivicrmSession } from './session.ts';

/**
 * The minimum number of contacts in one request. If the server fails even with this few contacts, donor-sync cannot use
 * the server.
 */
const LEAST_ROWS = 25;

/** The number of times that donor-sync tries a request before it splits the request into smaller requests. */
const TRIES_IF_SPLITTABLE = 2;

/**
 * Yields all individuals. Merged contacts come first in the result. A later reading must start from the beginning and
 * cannot continue where this reading stopped. `modified_date` does not show deletions. On some sites, `modified_date`
 * also does not change if an address or a custom field changes.
 */
export async function* readPages(session: CivicrmSession): AsyncGenerator<ContactPage> {
  for await (const removed of readMerges(session)) yield { contacts: [], removed, cursor: null };
  const { contacts, fields, filter } = session;
  const select = contactFields(contacts);
  for await (const rows of pagesOf(session, 'contacts', select, filter ?? [])) {
    const page = rows.map((row) => toContact(row, contacts, fields));
    yield { contacts: page, removed: [], cursor: null };
  }
}

/** Yields the rows of individuals who meet the conditions. */
export function pagesOf(
  { api, settings, signal }: Pick<CivicrmSession, 'api' | 'settings' | 'signal'>,
  what: string,
  select: readonly string[],
  conditions: Where,
): AsyncGenerator<readonly Row[]> {
  const where = [PEOPLE, NOT_IN_TRASH, ...conditions];
  return readIdPages({
    what,
    take: settings.pageSize,
    least: LEAST_ROWS,
    idOf: (row) => Number(row['id']),
    async read(afterId, take, isSplittable) {
      throwIfStopped(signal);
      const isFirst = afterId === 0;
      const params = {
        select: isFirst ? ['row_count', ...select] : select,
        where: isFirst ? where : [...where, ['id', '>', afterId]],
        orderBy: { id: 'ASC' },
        limit: take,
      } as const;
      const maxTries = isSplittable ? TRIES_IF_SPLITTABLE : undefined;
      const { values, total } = await api.get('Contact', params, maxTries);
      return { rows: values, total: isFirst ? total : null };
    },
    async count() {
      throwIfStopped(signal);
      const { total, values } = await api.get('Contact', { select: ['row_count'], where });
      return total ?? values.length;
    },
  });
}

/** Returns the contacts with these IDs that match the filter. */
export async function findIncluded(
  { api, filter, signal }: CivicrmSession,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  throwIfStopped(signal);
  const numbers = ids.flatMap((id) => canonicalId(id) ?? []).map(Number);
  if (numbers.length === 0) return new Set();
  const where = [['id', 'IN', numbers], PEOPLE, NOT_IN_TRASH, ...(filter ?? [])];
  const { values } = await api.get('Contact', { select: ['id'], where });
  const found = new Set(values.map((row) => String(row['id'])));
  return new Set(ids.filter((id) => found.has(canonicalId(id) ?? '')));
}

/**
 * Yields all contacts that have opted out, including contacts that do not match the filter. Yields nothing if the
 * settings contain no filter or no mark.
 */
export async function* findMarked(session: CivicrmSession): AsyncGenerator<readonly string[]> {
  const { contacts, fields, filter } = session;
  const { optOutField } = contacts;
  if (filter === null || optOutField === null) return;
  // The condition does not use `NOT filter`. If a field is blank in SQL, neither a condition nor its negation is true.
  const marked = [optOutField, 'IS NOT EMPTY'];
  const select = contactFields(contacts);
  for await (const rows of pagesOf(session, 'marked contacts', select, [marked])) {
    const found = rows
      .map((row) => toContact(row, contacts, fields))
      .filter(({ optedOut }) => optedOut);
    if (found.length > 0) yield found.map(({ id }) => id);
  }
}

/** For each match that the caller wants, the number of contacts that donor-sync compares. */
const COMPARED_PER_FOUND = 20;

/** Finds contacts by their names. MySQL finds words anywhere in a name, so donor-sync compares the results again. */
export async function search(
  { api, filter, signal }: CivicrmSession,
  text: string,
  most: number,
): Promise<string[]> {
  throwIfStopped(signal);
  const words = toNameWords(text);
  if (words.length === 0) return [];
  const named = words.map((word) => [
    'OR',
    ['first_name', 'last_name'].map((field) => [field, 'LIKE', `%${word}%`]),
  ]);
  const { values } = await api.get('Contact', {
    select: ['first_name', 'last_name'],
    where: [PEOPLE, NOT_IN_TRASH, ...(filter ?? []), ...named],
    orderBy: { id: 'ASC' },
    limit: most * COMPARED_PER_FOUND,
  });
  const found = values.filter((row) =>
    isNamed(words, { firstName: nameIn(row, 'first_name'), lastName: nameIn(row, 'last_name') }),
  );
  return found.slice(0, most).map((row) => String(row['id']));
}

function nameIn(row: Row, field: string): string | null {
  return row[field] == null ? null : String(row[field]);
}

/** Returns the IDs of some contacts for `doctor`. */
export async function sampleIds(
  { api, filter, signal }: CivicrmSession,
  most: number,
): Promise<string[]> {
  throwIfStopped(signal);
  const where = [PEOPLE, NOT_IN_TRASH, ...(filter ?? [])];
  const { values } = await api.get('Contact', {
    select: ['id'],
    where,
    orderBy: { id: 'DESC' },
    limit: most,
  });
  return values.map((row) => String(row['id']));
}
