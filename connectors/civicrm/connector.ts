import { z } from 'zod';
import civicrmFields from '../../config/fields.civicrm.json' with { type: 'json' };
import { fieldMappingSchema } from '../../src/core/field-map.ts';
import { currencyCode, type MoneyField, PROFILE_CURRENCY } from '../../src/core/money.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
} from '../contract.ts';
import { keepOpen } from '../opened.ts';
import { plainConnector } from '../plain.ts';
import { aboutCivicrm } from './about.ts';
import { recordUrl } from './addresses.ts';
import { check } from './check.ts';
import { canonicalId } from './contact.ts';
import { createFields } from './create-fields.ts';
import { readFields, toCrmFields } from './fields.ts';
import { listGroups, readGroup } from './groups.ts';
import { readByIds } from './lookup.ts';
import { findMerged } from './merges.ts';
import { findIncluded, findMarked, readPages, sampleIds, search } from './read.ts';
import { type CivicrmSession, openSession } from './session.ts';
import { type CivicrmSettings, civicrmGroupSchema, civicrmSettingsSchema } from './settings.ts';
import { createWriter } from './write.ts';

/**
 * The connector for CiviCRM. `README.md` in this folder describes the permissions, the limits and the peculiarities of
 * CiviCRM.
 */
export const civicrmConnector: ConnectorDefinition<CivicrmSettings> = {
  contract: 2,
  kind: 'civicrm',
  about: aboutCivicrm,
  settingsSchema: civicrmSettingsSchema,
  groupSchema: civicrmGroupSchema,
  defaultFields: z.array(fieldMappingSchema).parse(civicrmFields),
  canonicalId,
  recordUrl,
  refusesPlainHttp: true,
  open: openCivicrmConnector,
  check,
};

const CAPABILITIES = {
  // donor-sync reads all contacts each time, because `modified_date` does not show all changes (README).
  incremental: false,
  reportsRemovals: false,
  createsFields: true,
  writesTogether: true,
  tellsOverwritten: 'write',
  remote: true,
  groups: ['group'],
  readBatch: 200,
  writeBatch: { preferred: 100, bulk: null, max: 1_000 },
} satisfies Capabilities;

async function openCivicrmConnector(
  options: ConnectorOptions<CivicrmSettings>,
): Promise<Connector> {
  const opened = await openSession(options);
  const { session, close } = keepOpen(opened, ({ api }) => api.close());
  const write = createWriter(opened);
  return {
    ...plainConnector,
    kind: 'civicrm',
    capabilities: CAPABILITIES,
    account: opened.account,
    identity: () => session().shape,
    readPages: () => readPages(session()),
    readByIds: async (ids, fields) => readByIds(session(), ids, fields),
    findMerged: async (id) => findMerged(session(), id),
    findIncluded: async (ids) => findIncluded(session(), ids),
    search: async (text, most) => search(session(), text, most),
    findMarked: () => findMarked(session()),
    write(changes) {
      session();
      return write(changes);
    },
    describeFields: async () => {
      const fields = await readFields(session().api);
      session().fields = fields;
      return toCrmFields(fields, await readMoney(session()));
    },
    createFields: async (fields) => createFields(session(), fields),
    listGroups: async () => listGroups(session()),
    readGroup: (selector) => readGroup(session(), selector),
    automaticMarks: () => [{ kind: 'deceased', fields: ['is_deceased', 'deceased_date'] }],
    sampleIds: async (most) => sampleIds(session(), most),
    close,
  };
}

/**
 * Returns how donor-sync converts amounts. All amounts on a site have the site's currency, and CiviCRM has no exchange
 * rates. Returns null if the site's currency is US dollars, like the currency of the profiles.
 */
async function readMoney({ api, settings }: CivicrmSession): Promise<MoneyField | null> {
  const code = settings.siteCurrency ?? (await readCurrency({ api }));
  return code === PROFILE_CURRENCY ? null : { mode: 'usdOnly', from: null, code, rates: {} };
}

async function readCurrency({ api }: Pick<CivicrmSession, 'api'>): Promise<string | null> {
  const rows = await api.askIfAllowed('Setting', 'get', { select: ['defaultCurrency'] });
  const value = rows?.find((row) => row['name'] === 'defaultCurrency')?.['value'];
  return typeof value === 'string' ? currencyCode(value) : null;
}
