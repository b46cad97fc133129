import type { Contact } from '../../src/core/contact.ts';
import { inParallel, splitIntoBatches } from '../../src/core/parallel.ts';
import type { IdentitySource } from '../contract.ts';
import type { SalesforceApi } from './api.ts';
import { describeIfSeen, type ObjectDescription } from './describe.ts';
import { createColumnReader, queryInHalves, queryRecords, quotedList } from './query.ts';
import type { SalesforceSettings } from './settings.ts';
import { blankToNull } from './values.ts';

/** The maximum number of IDs in a query. With more IDs, the address would be too long. */
const IDS_PER_QUERY = 500;

/** The number of requests in flight at the same time for one page of contacts. */
const QUERIES_AT_ONCE = 4;

const OBJECT = 'AccountContactRelation';
export const RELATION_NAME = `${OBJECT}.Account.Name`;

/** A condition that selects employers. Households and boards are also related accounts. */
const IS_EMPLOYEE = "Roles INCLUDES ('Employee')";

/** The fields that the query needs. */
const NEEDED = ['AccountId', 'ContactId', 'IsActive', 'Roles'];

/** Describes whether account contact relations can provide employers that are missing from Contact's columns. */
export interface Relations {
  /** Whether the org uses relations. `none` means that the org does not use relations. */
  state: 'none' | 'hidden' | 'readable';
  sources: readonly IdentitySource[];
}

/**
 * A person account represents the person. The person's employer is a different account, to which the person is related
 * as an employee. An org without relations cannot be distinguished from an org that hides its relations from the user.
 * In both cases, these employers are unknown, but they may exist.
 */
export async function shapeRelations(
  api: SalesforceApi,
  { fields }: ObjectDescription,
  employer: SalesforceSettings['employer'],
): Promise<Relations> {
  if (employer === 'primaryAffiliation' || !fields.has('IsPersonAccount')) {
    return { state: 'none', sources: [] };
  }
  const described = await describeIfSeen(api, OBJECT);
  const readable = described !== null && NEEDED.every((name) => described.fields.has(name));
  return {
    state: readable ? 'readable' : 'hidden',
    sources: [{ name: RELATION_NAME, part: 'employers', readable }],
  };
}

/** If a contact has no other employer, adds the organisations from the contact's relations as employers. */
export async function withRelations(
  { api, shape }: { api: SalesforceApi; shape: { relations: Relations } },
  contacts: readonly Contact[],
): Promise<readonly Contact[]> {
  if (shape.relations.state !== 'readable') return contacts;
  const ids = contacts.filter(({ employers }) => employers.length === 0).map(({ id }) => id);
  const related = new Map<string, Related>();
  const found = await inParallel(splitIntoBatches(ids, IDS_PER_QUERY), QUERIES_AT_ONCE, (batch) =>
    queryInHalves(batch, (some) => {
      const soql = `SELECT ContactId, Account.Name FROM ${OBJECT} WHERE IsActive = true AND ${IS_EMPLOYEE} AND ContactId IN ${quotedList(some)}`;
      return queryRecords(api, soql);
    }),
  );
  for (const record of found.flat()) {
    const id = String(record['ContactId']);
    const known = related.get(id) ?? { names: new Set(), hasUnreadable: false };
    const name = blankToNull(createColumnReader(record)('Account.Name'));
    if (name === null) known.hasUnreadable = true;
    else known.names.add(name);
    related.set(id, known);
  }
  return contacts.map((contact) => {
    const found = related.get(contact.id);
    return found === undefined ? contact : withEmployers(contact, found);
  });
}

/**
 * The organisations that are related to one person. Every relation has an organisation, so an organisation without a
 * name is hidden from the user.
 */
interface Related {
  names: Set<string>;
  hasUnreadable: boolean;
}

function withEmployers(contact: Contact, { names, hasUnreadable }: Related): Contact {
  const unreadable = contact.unreadable ?? [];
  return {
    ...contact,
    employers: [...names],
    unreadable: hasUnreadable ? [...unreadable, RELATION_NAME] : unreadable,
  };
}
