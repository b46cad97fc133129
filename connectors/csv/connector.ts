import { basename, resolve } from 'node:path';
import { z } from 'zod';
import csvFields from '../../config/fields.csv.json' with { type: 'json' };
import { ConfigurationError } from '../../src/core/errors.ts';
import { fieldMappingSchema } from '../../src/core/field-map.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  CrmAccount,
} from '../contract.ts';
import { keepOpen } from '../opened.ts';
import { aboutCsv } from './about.ts';
import { check, NO_FILTER } from './check.ts';
import { createFields, describeFields } from './fields.ts';
import { openFiles } from './files.ts';
import { listGroups, readGroup } from './groups.ts';
import { mergeIntoOutput } from './merge.ts';
import { readByIds, readPages } from './read.ts';
import { toRowId } from './rows.ts';
import { search } from './search.ts';
import type { CsvSession } from './session.ts';
import {
  type CsvSettings,
  csvGroupSchema,
  csvSettingsSchema,
  getIdentityShape,
} from './settings.ts';
import { CHANGES_PER_BATCH, eraseKept, writeChanges } from './write.ts';

/** The connector for CSV files. `README.md` in this folder describes how files behave as a CRM. */
export const csvConnector: ConnectorDefinition<CsvSettings> = {
  contract: 2,
  kind: 'csv',
  about: aboutCsv,
  settingsSchema: csvSettingsSchema,
  groupSchema: csvGroupSchema,
  defaultFields: z.array(fieldMappingSchema).parse(csvFields),
  canonicalId: (text) => toRowId(text) || null,
  keepsWrites: true,
  open: openCsvConnector,
  check: ({ settings, contacts, deps }) => check(settings, contacts, deps.signal),
};

const CAPABILITIES: Capabilities = {
  incremental: false,
  reportsRemovals: false,
  createsFields: true,
  writesTogether: true,
  remote: false,
  groups: ['column'],
  readBatch: 500,
  writeBatch: { preferred: CHANGES_PER_BATCH, bulk: null, max: 10_000 },
};

async function openCsvConnector(options: ConnectorOptions<CsvSettings>): Promise<Connector> {
  const { settings } = options;
  const opened = await openSession(options);
  const { session, close } = keepOpen(opened, ({ files }) => files.close());

  return {
    kind: 'csv',
    capabilities: CAPABILITIES,
    account: getAccount(opened),
    identity: () => getIdentityShape(settings),
    readPages: () => readPages(session()),
    readByIds: async (ids, fields) => readByIds(session(), ids, fields),
    search: async (text, most) => search(session(), text, most),
    write: (changes) => writeChanges(session(), changes),
    describeFields: async () => describeFields(session()),
    createFields: async (fields) => createFields(session(), fields),
    listGroups: async () => listGroups(session()),
    readGroup: (selector) => readGroup(session(), selector),
    countMarks: () => session().files.withTables(async ({ input }) => [...input.marks]),
    readLimits: async () => null,
    erase: async (isErased) => eraseKept(session(), isErased),
    finish: async () => mergeIntoOutput(session()),
    close,
  };
}

async function openSession(options: ConnectorOptions<CsvSettings>): Promise<CsvSession> {
  const { settings, contacts, deps } = options;
  if (contacts.filter !== null) {
    throw new ConfigurationError(NO_FILTER, { code: 'csv_filter_unsupported' });
  }
  const files = await openFiles(settings, contacts, deps.signal);
  const { pending, path, keptColumns } = files.journal;
  if (pending > 0) deps.log.info({ pending, path }, 'found changes of an earlier run to merge');
  const { signal, countAsPresent } = deps;
  return { settings, contacts, files, keptColumns: new Set(keptColumns), countAsPresent, signal };
}

/**
 * Returns the account of a client with CSV files. The account's ID is the path in the settings, so a link that points
 * to a new file each night is still the same account.
 */
function getAccount({ settings }: CsvSession): CrmAccount {
  return { id: resolve(settings.path), name: basename(settings.path) };
}
