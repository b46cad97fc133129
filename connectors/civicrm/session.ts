import { withoutSlash } from '../../src/outbound/address.ts';
import type { ConnectorOptions, ContactsSettings, CrmAccount, IdentityShape } from '../contract.ts';
import { requireMarkFields } from '../marks/mark-fields.ts';
import { requireKnown } from '../plain.ts';
import { type CivicrmApi, createApi, type Where } from './api.ts';
import { contactFields, toShape } from './contact.ts';
import { type Fields, readFields } from './fields.ts';
import { parseFilter, requireFilter } from './filter.ts';
import type { CivicrmSettings } from './settings.ts';

export interface CivicrmSession {
  settings: CivicrmSettings;
  contacts: ContactsSettings;
  api: CivicrmApi;
  signal: AbortSignal;
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  account: CrmAccount;
  /** The fields from CiviCRM's last description of contacts. */
  fields: Fields;
  shape: IdentityShape;
  filter: Where | null;
}

/** Signs in and reads the description of contacts. Throws a ConfigurationError if donor-sync cannot use the site. */
export async function openSession({
  settings,
  contacts,
  deps,
}: ConnectorOptions<CivicrmSettings>): Promise<CivicrmSession> {
  requireKnown(contacts, [
    ...(['filter', 'optOutField', 'optOutValues', 'unmarkedValues'] as const),
    ...(['deceasedField', 'deceasedValues', 'includeDeceased'] as const),
    ...(['doNotContactField', 'doNotContactValues', 'includeDoNotContact'] as const),
  ]);
  const filter = parseFilter(contacts.filter);
  const api = createApi(settings, deps);
  try {
    const fields = await readFields(api);
    requireMarkFields(contacts, fields.keys());
    await requireFilter(api, filter);
    const { values } = await api.get('Contact', { select: contactFields(contacts), limit: 1 });
    return {
      settings,
      contacts,
      api,
      fields,
      filter,
      signal: deps.signal,
      clock: deps.clock,
      account: await readAccount(api, settings),
      shape: toShape(values[0] ?? null),
    };
  } catch (error) {
    api.close();
    throw error;
  }
}

/**
 * Returns the site's account. A site has no ID that every user can read. A copy of a site would also have the same ID
 * as the original site. donor-sync uses the site's address as the account's ID, because the address is unique.
 */
async function readAccount(api: CivicrmApi, { url }: CivicrmSettings): Promise<CrmAccount> {
  const { host, pathname } = new URL(withoutSlash(url));
  const id = host + (pathname === '/' ? '' : pathname);
  const rows = await api.askIfAllowed('Domain', 'get', { select: ['name'], limit: 1 });
  const name = rows?.[0]?.['name'];
  return { id, name: typeof name === 'string' && name !== '' ? name : host };
}
