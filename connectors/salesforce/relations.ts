import type { Contact } from '../../src/core/contact.ts';
import type { SalesforceApi } from './api.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import { crmCodeOf } from './errors.ts';
import { columnsOf, queryRecords } from './query.ts';
import { quotedList } from './soql.ts';

/** Ids of one request, so that its address is not too long. */
const IDS_PER_QUERY = 500;

const OBJECT = 'AccountContactRelation';

/** Households and boards are related accounts too, and nobody's employer. */
const IS_EMPLOYEE = "Roles INCLUDES ('Employee')";

/**
 * True if the org ties people to organizations by relations: a person account is an account of
 * its own, so its employer is another account that it is related to as an employee.
 */
export async function hasRelations(
  api: SalesforceApi,
  { fields }: ObjectDescription,
): Promise<boolean> {
  if (!fields.has('IsPersonAccount')) return false;
  try {
    return (await describeObject(api, OBJECT)).fields.has('Roles');
  } catch (error) {
    if (crmCodeOf(error) === 'NOT_FOUND') return false;
    throw error;
  }
}

/** The contacts, those without an employer with the organizations that they are related to. */
export async function withRelations(
  { api, shape }: { api: SalesforceApi; shape: { hasRelations(): Promise<boolean> } },
  contacts: readonly Contact[],
): Promise<readonly Contact[]> {
  const ids = contacts.filter(({ employers }) => employers.length === 0).map(({ id }) => id);
  if (ids.length === 0 || !(await shape.hasRelations())) return contacts;
  const employers = new Map<string, Set<string>>();
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const some = quotedList(ids.slice(start, start + IDS_PER_QUERY));
    const soql = `SELECT ContactId, Account.Name FROM ${OBJECT} WHERE IsActive = true AND ${IS_EMPLOYEE} AND ContactId IN ${some}`;
    for (const record of await queryRecords(api, soql)) {
      const id = String(record['ContactId']);
      const names = employers.get(id) ?? new Set();
      employers.set(id, names.add(String(columnsOf(record)('Account.Name'))));
    }
  }
  return contacts.map((contact) => {
    const found = employers.get(contact.id);
    return found === undefined ? contact : { ...contact, employers: [...found] };
  });
}
