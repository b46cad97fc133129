import { z } from 'zod';
import memoryFields from '../../config/fields.memory.json' with { type: 'json' };
import type { FieldSpec } from '../../src/core/crm-field.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import { type FieldMapping, fieldMappingSchema } from '../../src/core/field-map.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ContactChange,
  ContactsSettings,
  FieldCreation,
  GroupSummary,
  Overwritten,
  WriteResult,
} from '../contract.ts';
import { requireMarkFields } from '../marks/mark-fields.ts';
import { isNamed, toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { aboutMemory } from './about.ts';
import { type MemoryCrm, toField } from './crm.ts';
import { findMarked, isIncluded, lookUp, readGroup, readPages } from './read.ts';
import { type MemorySettings, memoryGroupSchema, memorySettingsSchema } from './settings.ts';

/** The CRMs that programs have registered. */
export const memoryCrms = new Map<string, MemoryCrm>();

/** The default field map of CRMs in memory. */
export const memoryDefaultFields: readonly FieldMapping[] = z
  .array(fieldMappingSchema)
  .parse(memoryFields);

/** A CRM in memory. The CRM in memory is for tests, and its connector is an example of how to build one. */
export const memoryConnector: ConnectorDefinition<MemorySettings> =
  defineMemoryConnector(memoryCrms);

/** Defines a connector with its own set of CRMs, so that tests share no data. */
export function defineMemoryConnector(
  crms: ReadonlyMap<string, MemoryCrm>,
): ConnectorDefinition<MemorySettings> {
  return {
    contract: 2,
    kind: 'memory',
    about: aboutMemory,
    settingsSchema: memorySettingsSchema,
    groupSchema: memoryGroupSchema,
    defaultFields: memoryDefaultFields,
    async open({ settings, contacts, deps }) {
      const crm = findCrm(crms, settings.name);
      await crm.enter('open');
      return createMemoryConnector(crm, deps.signal, contacts);
    },
    async check({ settings: { name } }) {
      const crm = crms.get(name);
      if (crm === undefined) return [{ ...missing(name), subject: 'memory', ok: false }];
      const message = `the CRM in memory has ${crm.records.size} contacts`;
      return [{ subject: 'memory', ok: true, message, fix: null }];
    },
  };
}

const ALL_CONTACTS: ContactsSettings = { filter: null, optOutField: null };

const CAPABILITIES: Capabilities = {
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  writesTogether: true,
  remote: false,
  tellsOverwritten: 'write',
  groups: ['group'],
  readBatch: 100,
  writeBatch: { preferred: 100, bulk: null, max: 1000 },
};

/**
 * Returns an open connector to this CRM. `contacts` contains the fields that mark contacts. The list of mark fields is
 * empty by default.
 */
export function createMemoryConnector(
  crm: MemoryCrm,
  signal: AbortSignal,
  contacts: ContactsSettings = ALL_CONTACTS,
): Connector {
  requireMarkFields(contacts, crm.fields.keys());
  return {
    kind: 'memory',
    capabilities: CAPABILITIES,
    account: crm.account,
    identity: () => crm.identity(),
    readPages: (cursor, known) => readPages(crm, cursor, signal, contacts, known),
    async readByIds(ids, fields) {
      await crm.enter('readByIds');
      throwIfStopped(signal);
      return ids.map((id) => lookUp(crm, id, fields, contacts));
    },
    async findMerged(id) {
      await crm.enter('findMerged');
      throwIfStopped(signal);
      return [...crm.tombstones.values()].flatMap((each) =>
        each.mergedInto === id ? each.id : [],
      );
    },
    async findIncluded(ids) {
      await crm.enter('findIncluded');
      throwIfStopped(signal);
      return new Set(ids.filter((id) => crm.records.has(id) && isIncluded(crm, id)));
    },
    async search(text, most) {
      await crm.enter('search');
      throwIfStopped(signal);
      const words = toNameWords(text);
      return [...crm.records.values()]
        .filter(({ contact }) => isIncluded(crm, contact.id) && isNamed(words, contact))
        .map(({ contact }) => contact.id)
        .slice(0, most);
    },
    findMarked: (cursor) => findMarked(crm, cursor, signal, contacts),
    write: (changes) => writeChanges(crm, changes, signal),
    async readBack(writes) {
      await crm.enter('readBack');
      throwIfStopped(signal);
      return writes.map(({ id, fields }) => {
        const found = lookUp(crm, id, fields, contacts);
        const values = found.state === 'found' ? found.values : null;
        const automated = [...crm.automatedIn(id).keys()].filter((field) => fields.includes(field));
        return { id, values, automated };
      });
    },
    async findAutomated(wanted) {
      await crm.enter('findAutomated');
      throwIfStopped(signal);
      return wanted.flatMap(({ id, fields }) => {
        const found = [...crm.automatedIn(id)].filter(([field]) => fields.includes(field));
        return found.length === 0 ? [] : [{ id, madeFrom: Object.fromEntries(found) }];
      });
    },
    async describeFields() {
      await crm.enter('describeFields');
      return [...crm.fields.values()];
    },
    async createFields(specs) {
      await crm.enter('createFields');
      return specs.map((spec) => createField(crm, spec));
    },
    async listGroups() {
      await crm.enter('listGroups');
      return [...crm.groups].map(([name, { members }]) => toSummary(name, members.length));
    },
    readGroup: (selector) => readGroup(crm, selector, signal),
    countMarks: async () => [...crm.marks],
    async readLimits() {
      await crm.enter('readLimits');
      return crm.limits;
    },
    async finish() {
      await crm.enter('finish');
    },
    async close() {},
  };
}

async function* writeChanges(
  crm: MemoryCrm,
  changes: Iterable<ContactChange> | AsyncIterable<ContactChange>,
  signal: AbortSignal,
): AsyncGenerator<WriteResult> {
  await crm.enter('write');
  for await (const change of changes) {
    const { id, values, together } = change;
    await crm.step('write');
    throwIfStopped(signal);
    const overwritten = overwrittenBy(crm, change);
    const result = crm.applyWrite(id, values, together);
    yield result.status === 'refused' || overwritten === null ? result : { ...result, overwritten };
  }
}

/** Returns the values that the change will replace although its caller has not read them. */
function overwrittenBy(crm: MemoryCrm, { id, values, seen }: ContactChange): Overwritten | null {
  if (seen === undefined) return null;
  const lost = Object.keys(values).filter((field) => {
    const present = crm.valueOf(id, field);
    return Object.hasOwn(seen, field) && present !== seen[field] && present !== values[field];
  });
  if (lost.length === 0) return null;
  return { values: Object.fromEntries(lost.map((f) => [f, crm.valueOf(id, f)])), by: 'a-user' };
}

function createField(crm: MemoryCrm, spec: FieldSpec): FieldCreation {
  const { name } = spec;
  if (crm.fields.has(name)) return { name, result: 'existed', problem: null };
  crm.addField(toField(spec));
  return { name, result: 'created', problem: null };
}

function toSummary(name: string, memberCount: number): GroupSummary {
  return { selector: { group: name }, name, memberCount };
}

function findCrm(crms: ReadonlyMap<string, MemoryCrm>, name: string): MemoryCrm {
  const crm = crms.get(name);
  if (crm !== undefined) return crm;
  const { message, fix } = missing(name);
  throw new ConfigurationError(`${message} ${fix}`, {
    code: 'memory_crm_missing',
    details: { name },
  });
}

function missing(name: string): { message: string; fix: string } {
  return {
    message: `There is no CRM "${name}" in memory;`,
    fix: 'kind "memory" is for tests and examples.',
  };
}
