import type { Contact } from '../../src/core/contact.ts';
import type { AccountFact, ContactPage, RecordLookup } from '../contract.ts';
import { readMarks } from '../marks/mark-values.ts';
import { readOffsetPages } from '../reading/offset-pages.ts';
import { answerUnreadable } from '../requests/errors.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { textsOf, valueIn } from './fields.ts';
import {
  addressLines,
  type BloomerangRecord,
  canonicalId,
  INDIVIDUAL,
  isRecordId,
  pageSchema,
} from './record.ts';
import type { BloomerangSession } from './session.ts';

/** The maximum number of rows in one request (`take`). */
export const ROWS_PER_PAGE = 50;

/**
 * Yields all individuals. donor-sync reads all individuals each time, for two reasons. Bloomerang does not document
 * whether `lastModified` changes if an address or a custom value changes. Bloomerang does not report deleted and merged
 * constituents.
 */
export async function* readPages(session: BloomerangSession): AsyncGenerator<ContactPage> {
  await session.refreshCustom();
  let isEmpty = true;
  for await (const rows of readRows(session)) {
    isEmpty = false;
    const contacts = rows.map((row) => toContact(session, row));
    yield { contacts, removed: [], cursor: null };
  }
  if (isEmpty) yield { contacts: [], removed: [], cursor: null };
}

/**
 * Yields the records of all individuals. The function yields each record once, even if Bloomerang's list changes in the
 * meantime.
 */
export async function* readRows({
  http,
  deps,
}: BloomerangSession): AsyncGenerator<BloomerangRecord[]> {
  const pages = readOffsetPages({
    what: 'constituents',
    take: ROWS_PER_PAGE,
    idOf: ({ Id }: BloomerangRecord) => String(Id),
    async read(skip, take) {
      throwIfStopped(deps.signal);
      const query = { type: INDIVIDUAL, orderBy: 'Id', orderDirection: 'Asc', skip, take };
      const page = await http.read({ path: '/constituents', query }, pageSchema);
      return { rows: page.Results, total: page.TotalFiltered };
    },
  });
  for await (const rows of pages) {
    const people = rows.filter(({ Type }) => Type === INDIVIDUAL);
    if (people.length > 0) yield people;
  }
}

/**
 * Reads individuals by their IDs, in the order of the IDs. IDs that do not belong to an individual are reported as
 * missing.
 */
export async function readByIds(
  session: BloomerangSession,
  ids: readonly string[],
  fields: readonly string[],
): Promise<RecordLookup[]> {
  await session.refreshMarkFields();
  const records = await findRecords(session, ids);
  return ids.map((id): RecordLookup => {
    const record = records.get(canonicalId(id) ?? id);
    if (record === undefined) return { state: 'missing', id };
    const custom = session.custom();
    const values = fields.map((name) => [name, valueIn(record, name, custom)] as const);
    const contact = toContact(session, record);
    return { state: 'found', id, contact, values: Object.fromEntries(values) };
  });
}

/** Returns the individuals' records. The map's key is the individual's canonical ID. */
export async function findRecords(
  { http, deps }: Pick<BloomerangSession, 'http' | 'deps'>,
  ids: readonly string[],
): Promise<Map<string, BloomerangRecord>> {
  const wanted = [...new Set(ids.map((id) => canonicalId(id) ?? id).filter(isRecordId))];
  const found = new Map<string, BloomerangRecord>();
  for (let start = 0; start < wanted.length; start += ROWS_PER_PAGE) {
    const some = wanted.slice(start, start + ROWS_PER_PAGE);
    const pages = readOffsetPages({
      what: 'constituents',
      take: ROWS_PER_PAGE,
      idOf: ({ Id }: BloomerangRecord) => String(Id),
      async read(skip, take) {
        throwIfStopped(deps.signal);
        const query = { id: some.join('|'), orderBy: 'Id', skip, take };
        const page = await http.read({ path: '/constituents', query }, pageSchema);
        // If Bloomerang returns more records than IDs, it has ignored the condition.
        if (page.TotalFiltered > some.length) throw answerUnreadable('Bloomerang');
        return { rows: page.Results, total: page.TotalFiltered };
      },
    });
    for await (const rows of pages) {
      for (const row of rows) if (row.Type === INDIVIDUAL) found.set(String(row.Id), row);
    }
  }
  return found;
}

/** Converts a record to a contact. */
export function toContact(session: BloomerangSession, record: BloomerangRecord): Contact {
  const { contacts } = session;
  const marks = readMarks(contacts, (name) => textsOf(record, name, session.custom()));
  const isDeceased = record.Status === 'Deceased' && contacts.includeDeceased !== true;
  return {
    id: String(record.Id),
    firstName: record.FirstName,
    lastName: record.LastName,
    addresses: addressLines(record),
    employers: record.Employer === null ? [] : [record.Employer],
    ...marks,
    ...(isDeceased ? { excluded: 'deceased' as const } : {}),
  };
}

/** Returns the IDs of the first individuals. */
export async function sampleIds({ http }: BloomerangSession, most: number): Promise<string[]> {
  const take = Math.min(most, ROWS_PER_PAGE);
  const query = { type: INDIVIDUAL, orderBy: 'Id', skip: 0, take };
  const { Results } = await http.read({ path: '/constituents', query }, pageSchema);
  const people = Results.filter(({ Type }) => Type === INDIVIDUAL);
  return people.slice(0, most).map(({ Id }) => String(Id));
}

/** Returns the number of individuals. */
export async function readFacts({ http }: BloomerangSession): Promise<AccountFact[]> {
  const query = { type: INDIVIDUAL, skip: 0, take: 1 };
  const { TotalFiltered } = await http.read({ path: '/constituents', query }, pageSchema);
  return [{ name: 'individuals', value: TotalFiltered }];
}
