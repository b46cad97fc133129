/** Reads the additional data that `doctor` needs: some contacts, and facts about the account. */
import { z } from 'zod';
import type { AccountFact } from '../../contract.ts';
import { readAs } from '../errors.ts';
import { recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

/** Returns the IDs of some contacts. Without a filter, the IDs come from HubSpot's list of contacts, as in a run. */
export async function sampleIds(session: HubspotSession, most: number): Promise<string[]> {
  const { api, filter, shape } = session;
  if (filter.length > 0) {
    const { results } = readAs(
      recordPageSchema,
      await api.searchContacts(searchBody(session, most)),
    );
    return results.map(({ id }) => id);
  }
  const page = { limit: most, properties: shape.properties, archived: false };
  const { results } = readAs(recordPageSchema, await api.listRecords('contacts', page));
  return results.map(({ id }) => id);
}

function searchBody({ filter, shape }: HubspotSession, limit: number): object {
  return {
    filterGroups: filter.map((filters) => ({ filters })),
    properties: shape.properties,
    sorts: [],
    limit,
    after: '0',
  };
}

const detailsSchema = z.object({ accountType: z.string().optional() });
const totalSchema = z.object({ total: z.number() });

/** Returns the account's type and its number of contacts. */
export async function readFacts(session: HubspotSession): Promise<AccountFact[]> {
  const { api, settings } = session;
  const { accountType = '' } = readAs(detailsSchema, await api.get(api.paths.accountDetails));
  const { total } = readAs(totalSchema, await api.searchContacts(searchBody(session, 1)));
  return [
    { name: 'API version', value: settings.apiVersion },
    { name: 'account type', value: /^[A-Z_]{1,40}$/.test(accountType) ? accountType : 'unknown' },
    { name: 'contacts that the token sees', value: total },
  ];
}
