import { z } from 'zod';
import salesforceFields from '../../config/fields.salesforce.json' with { type: 'json' };
import { fieldMappingSchema } from '../../src/core/field-map.ts';
import { outboundSend } from '../../src/outbound/guard.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
} from '../contract.ts';
import { keepOpen } from '../opened.ts';
import { aboutSalesforce } from './about.ts';
import type { SalesforceWorld } from './api.ts';
import { check, readLimits } from './check/check.ts';
import { readFacts, sampleIds } from './check/sample.ts';
import { automaticMarks } from './exclusions.ts';
import { createFields, crmFields } from './fields.ts';
import { requireFilter } from './filter.ts';
import { listGroups, readGroup } from './groups.ts';
import { contactId, otherForms } from './ids.ts';
import { findIncluded, findMerged, readByIds } from './lookup.ts';
import { readMoney } from './money/currencies.ts';
import { countViewers, showFields } from './permissions.ts';
import { fieldsProject } from './project/project.ts';
import { readBack } from './read-back.ts';
import { findMarked, readPages } from './reading/read.ts';
import { recordUrl } from './record-url.ts';
import { COLLECTION_ROWS } from './rows/lessons.ts';
import { search } from './search.ts';
import { openSession } from './session.ts';
import {
  type SalesforceSettings,
  salesforceGroupSchema,
  salesforceSettingsSchema,
} from './settings.ts';
import { createSalesforceConsent } from './sign-in/consent.ts';
import { MAX_CHANGES, writeChanges } from './write.ts';

/**
 * The connector for Salesforce. `README.md` in this folder describes the required permissions, the limits and the
 * peculiarities of Salesforce.
 */
export const salesforceConnector: ConnectorDefinition<SalesforceSettings> =
  defineSalesforceConnector({ fetch: outboundSend('anywhere'), random: Math.random });

/** Defines the connector with different dependencies, for example without random delays. */
export function defineSalesforceConnector(
  world: SalesforceWorld,
): ConnectorDefinition<SalesforceSettings> {
  return {
    contract: 2,
    kind: 'salesforce',
    about: aboutSalesforce,
    settingsSchema: salesforceSettingsSchema,
    groupSchema: salesforceGroupSchema,
    defaultFields: z.array(fieldMappingSchema).parse(salesforceFields),
    consent: createSalesforceConsent(world),
    canonicalId: contactId,
    recordUrl,
    otherForms,
    refusesPlainHttp: true,
    open: (options) => openSalesforceConnector(options, world),
    check: (options) => check(options, world),
    fieldsAsSource: fieldsProject,
  };
}

const CAPABILITIES = {
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  remote: true,
  groups: ['campaign', 'affiliation', 'report', 'where'],
  readBatch: 200,
  writesTogether: true,
  tellsOverwritten: 'write',
} satisfies Partial<Capabilities>;

async function openSalesforceConnector(
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Connector> {
  const opened = await openSession(options, world);
  await requireFilter(opened);
  // Salesforce sessions expire, so they do not have to be closed.
  const { session, close } = keepOpen(opened, () => {});

  return {
    kind: 'salesforce',
    capabilities: {
      ...CAPABILITIES,
      writeBatch: {
        preferred: COLLECTION_ROWS,
        bulk: options.settings.bulkThreshold,
        max: MAX_CHANGES,
      },
    },
    account: opened.account,
    identity: () => session().shape.identity,
    readPages: (cursor, known) => readPages(session(), cursor, known),
    readByIds: async (ids, fields) => readByIds(session(), ids, fields),
    findMerged: async (id) => findMerged(session(), id),
    findIncluded: async (ids) => findIncluded(session(), ids),
    search: async (text, most) => search(session(), text, most),
    findMarked: (cursor) => findMarked(session(), cursor),
    write: (changes) => writeChanges(session(), changes),
    readBack: async (writes) => readBack(session(), writes),
    describeFields: async () => crmFields(session().description, await readMoney(session())),
    createFields: async (fields) => createFields(session(), fields),
    showFields: async (names, assignTo) => showFields(session(), names, assignTo),
    countViewers: async (names) => countViewers(session(), names),
    listGroups: async () => listGroups(session()),
    readGroup: (selector) => readGroup(session(), selector),
    sampleIds: async (most) => sampleIds(session(), most),
    readFacts: async () => readFacts(session()),
    automaticMarks: () => automaticMarks(session().shape.exclusions, options.contacts),
    readLimits: async () => readLimits(session()),
    // Salesforce has already stored every change that it confirmed.
    async finish() {},
    close,
  };
}
