import { z } from 'zod';
import { systemClock } from '../../src/core/clock.ts';
import type { ConnectorDeps, ConnectorOptions, ContactsSettings, CrmAccount } from '../contract.ts';
import { requireMarkFields } from '../marks/mark-fields.ts';
import { requireKnown } from '../plain.ts';
import { createHttp, type Http, type HttpWorld } from '../requests/http.ts';
import { type CustomFields, listFieldNames, readCustomFields } from './fields.ts';
import type { BloomerangSettings } from './settings.ts';
import { type BloomerangCheck, openBloomerangCheck } from './write-check.ts';

const databaseSchema = z.object({ Id: z.union([z.string(), z.number()]), Name: z.string() });

/** The time (ms) for which a look-up uses the custom fields that were last read. */
const FIELDS_LAST_MS = 60_000;

export interface ScannedGroup {
  id: string;
  name: string;
  members: string[];
}

/** The data that belongs to an open connector. */
export interface BloomerangSession {
  settings: BloomerangSettings;
  contacts: ContactsSettings;
  deps: ConnectorDeps;
  http: Http;
  account: CrmAccount;
  writeCheck: BloomerangCheck;
  /** Returns the custom fields that were last read. */
  custom(): CustomFields;
  refreshCustom(): Promise<CustomFields>;
  /**
   * Reads the custom fields again if they are older than a minute and the settings use a custom field as a mark. If
   * donor-sync did not read the fields again, a deleted field would look like a blank field.
   */
  refreshMarkFields(): Promise<void>;
  /**
   * The result of the last complete reading. Groups that a caller has already received are removed from the result
   * (`groups.ts`).
   */
  groups: { scan: readonly ScannedGroup[]; atMs: number; taken: Set<string> } | null;
}

/** Creates a connector's HTTP functions without sending a request. */
export function openHttp(
  { settings, deps }: Pick<ConnectorOptions<BloomerangSettings>, 'settings' | 'deps'>,
  world?: HttpWorld,
): Http {
  const { url, auth, requestsPerSecond } = settings;
  // A limit below one request per second becomes one request in a longer period.
  const pace =
    requestsPerSecond === 0
      ? null
      : requestsPerSecond < 1
        ? { requests: 1, perMs: Math.ceil(1000 / requestsPerSecond) }
        : { requests: Math.floor(requestsPerSecond), perMs: 1000 };
  const options = {
    crm: 'Bloomerang',
    url,
    deps,
    headers: { 'x-api-key': auth.apiKey },
    keySetting: 'crm.auth.apiKey',
    pace,
  };
  return createHttp(options, world);
}

/** Signs in and reads the custom fields. */
export async function openSession(
  options: ConnectorOptions<BloomerangSettings>,
  http: Http,
): Promise<BloomerangSession> {
  const { settings, contacts, deps } = options;
  requireKnown(contacts, [
    ...(['optOutField', 'optOutValues', 'deceasedField', 'deceasedValues'] as const),
    ...(['doNotContactField', 'doNotContactValues', 'unmarkedValues'] as const),
    ...(['includeDeceased', 'includeDoNotContact'] as const),
  ]);
  const { Id, Name } = await http.read({ path: '/database' }, databaseSchema);
  const account = { id: String(Id), name: Name };
  let custom: CustomFields = new Map();
  const writeCheck = await openBloomerangCheck(options, http, account, () => custom);
  custom = await readCustomFields(http);
  requireMarkFields(contacts, listFieldNames(custom));
  const now = () => deps.clock.monotonicMs?.() ?? systemClock.monotonicMs();
  let readAtMs = now();
  const refreshCustom = async () => {
    custom = await readCustomFields(http);
    readAtMs = now();
    return custom;
  };
  const { optOutField, deceasedField, doNotContactField } = contacts;
  const marksByField = [optOutField, deceasedField, doNotContactField].some((name) => name != null);
  return {
    settings,
    contacts,
    deps,
    http,
    account,
    writeCheck,
    custom: () => custom,
    refreshCustom,
    async refreshMarkFields() {
      if (marksByField && now() - readAtMs > FIELDS_LAST_MS) await refreshCustom();
    },
    groups: null,
  };
}
