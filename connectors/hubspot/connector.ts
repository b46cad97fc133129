import { z } from 'zod';
import hubspotFields from '../../config/fields.hubspot.json' with { type: 'json' };
import { systemClock } from '../../src/core/clock.ts';
import { fieldMappingSchema } from '../../src/core/field-map.ts';
import { outboundSend } from '../../src/outbound/guard.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
} from '../contract.ts';
import { keepOpen } from '../opened.ts';
import { aboutHubspot } from './about.ts';
import type { HubspotWorld } from './api.ts';
import { check, readLimits } from './check/check.ts';
import { readFacts, sampleIds } from './check/sample.ts';
import { createFields, crmFields } from './fields.ts';
import { requireFilter } from './filter.ts';
import { requireFilterFits } from './filter-length.ts';
import { IDS_PER_REQUEST } from './find-records.ts';
import { listGroups, readGroup } from './groups.ts';
import { createLists } from './lists.ts';
import { findMerged, readByIds } from './lookup.ts';
import { readMoney } from './money/currencies.ts';
import { search } from './name-search.ts';
import { createPacerRegistry } from './pacers.ts';
import { findMarked, readPages } from './read.ts';
import { findAutomated, readBack } from './read-back.ts';
import { canonicalId } from './record.ts';
import { BATCH_ROWS } from './rows/send.ts';
import { findIncluded } from './search.ts';
import { openSession } from './session.ts';
import { type HubspotSettings, hubspotGroupSchema, hubspotSettingsSchema } from './settings.ts';
import { createHubspotConsent } from './sign-in/consent.ts';
import { MAX_CHANGES, writeChanges } from './write.ts';

/**
 * The delays (ms) after which donor-sync reads contacts again after a webhook. HubSpot's search index usually contains
 * a change within half a minute (CRM facts, E7).
 */
const REREAD_AFTER_MS = [30_000, 120_000];

/**
 * The connector for HubSpot. `README.md` in this folder describes the scopes, the limits and the peculiarities of
 * HubSpot.
 */
export const hubspotConnector: ConnectorDefinition<HubspotSettings> = defineHubspotConnector({
  fetch: outboundSend('anywhere'),
  random: Math.random,
  pacers: createPacerRegistry(systemClock),
});

/** Defines the connector with different dependencies, for example without random delays. */
export function defineHubspotConnector(world: HubspotWorld): ConnectorDefinition<HubspotSettings> {
  return {
    contract: 2,
    kind: 'hubspot',
    about: aboutHubspot,
    settingsSchema: hubspotSettingsSchema,
    groupSchema: hubspotGroupSchema,
    defaultFields: z.array(fieldMappingSchema).parse(hubspotFields),
    consent: createHubspotConsent(world),
    canonicalId,
    refusesPlainHttp: true,
    rereadAfterMs: REREAD_AFTER_MS,
    open: (options) => openHubspotConnector(options, world),
    check: (options) => check(options, world),
  };
}

const CAPABILITIES = {
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  writesTogether: true,
  tellsOverwritten: 'readBack',
  remote: true,
  groups: ['list', 'property'],
  readBatch: IDS_PER_REQUEST,
  writeBatch: { preferred: BATCH_ROWS, bulk: null, max: MAX_CHANGES },
} satisfies Capabilities;

async function openHubspotConnector(
  options: ConnectorOptions<HubspotSettings>,
  world: HubspotWorld,
): Promise<Connector> {
  const opened = await openSession(options, world);
  try {
    requireFilterFits(opened);
    await requireFilter(opened);
  } catch (error) {
    opened.api.close();
    throw error;
  }
  const { session, close } = keepOpen(opened, ({ api }) => api.close());

  return {
    kind: 'hubspot',
    capabilities: CAPABILITIES,
    account: opened.account,
    identity: () => session().shape.identity(),
    readPages: (cursor, known) => readPages(session(), cursor, known),
    readByIds: async (ids, fields) => readByIds(session(), ids, fields),
    findMerged: async (id) => findMerged(session(), id),
    findIncluded: async (ids) => findIncluded(session(), ids),
    search: async (text, most) => search(session(), text, most),
    findMarked: (cursor) => findMarked(session(), cursor, options.contacts),
    write: (changes) => writeChanges(session(), changes),
    readBack: async (writes) => readBack(session(), writes),
    findAutomated: async (records) => findAutomated(session(), records),
    describeFields: async () => crmFields(session(), await readMoney(session())),
    createFields: async (fields) => createFields(session(), fields),
    createLists: async (lists) => createLists(session(), lists),
    listGroups: async () => listGroups(session()),
    readGroup: (selector) => readGroup(session(), selector),
    sampleIds: async (most) => sampleIds(session(), most),
    readFacts: async () => readFacts(session()),
    readLimits: async () => readLimits(session()),
    // HubSpot has already stored every change that it confirmed.
    async finish() {},
    close,
  };
}
