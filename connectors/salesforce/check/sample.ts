/** Reads the additional data that `doctor` needs: some contacts, and facts about the org. */
import type { AccountFact } from '../../contract.ts';
import { countRecords, queryRecords, whereClause } from '../query.ts';
import type { SalesforceSession } from '../session.ts';

/** Returns the IDs of some contacts, in the order that Salesforce can produce fastest. */
export async function sampleIds(
  { api, filter }: SalesforceSession,
  most: number,
): Promise<string[]> {
  const records = await queryRecords(
    api,
    `SELECT Id FROM Contact${whereClause([filter])} LIMIT ${most}`,
  );
  return records.map(({ Id }) => String(Id));
}

/** Returns the org's edition and its number of contacts. */
export async function readFacts(session: SalesforceSession): Promise<AccountFact[]> {
  const { api, filter, settings, shape } = session;
  const [org] = await queryRecords(api, 'SELECT OrganizationType, IsSandbox FROM Organization');
  const contacts = await countRecords(api, `SELECT count() FROM Contact${whereClause([filter])}`);
  return [
    { name: 'API version', value: settings.apiVersion },
    { name: 'edition', value: toEdition(org?.['OrganizationType']) },
    { name: 'sandbox', value: org?.['IsSandbox'] === true ? 'yes' : 'no' },
    { name: 'model of people', value: shape.identity.mode },
    { name: 'contacts that the user sees', value: contacts },
  ];
}

/** Returns the edition only if it looks like a name, because any other text could contain anything. */
function toEdition(raw: unknown): string {
  return typeof raw === 'string' && /^[A-Z][A-Za-z ]{0,39}$/.test(raw) ? raw : 'unknown';
}
