import type { Contact } from '../../src/core/contact.ts';
import { ConfigurationError, RetriableError } from '../../src/core/errors.ts';
import type {
  ContactPage,
  ContactsSettings,
  GroupSelector,
  KnownContacts,
  RecordLookup,
} from '../contract.ts';
import { readMarks } from '../marks/mark-values.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { MemoryCrm, MemoryRecord } from './crm.ts';
import { memoryGroupSchema } from './settings.ts';

const MEMBERS_PER_PORTION = 100;

/**
 * Yields the changes after the cursor, which is a revision. Removed contacts come first. The list of IDs is fixed at
 * the start. Each page contains the state of its contacts at the time of reading the page. Later changes have a later
 * revision, so the next reading returns them.
 */
export async function* readPages(
  crm: MemoryCrm,
  cursor: string | null,
  signal: AbortSignal,
  contacts: ContactsSettings,
  known?: KnownContacts,
): AsyncGenerator<ContactPage> {
  await crm.enter('readPages');
  const changes = changesAfter(crm, Number(cursor ?? 0));
  const newest = String(changes.at(-1)?.revision ?? 0);
  const gone = partsOf(
    changes.filter(({ id }) => isReported(crm, id, cursor ?? known?.cursor ?? null)),
    crm.pageSize,
  );
  const present = partsOf(
    changes.filter(({ id }) => !crm.tombstones.has(id)),
    crm.pageSize,
  );
  const parts = [...gone, ...present];
  for (const [at, part] of parts.entries()) {
    if (at > 0) await crm.step('readPages');
    throwIfStopped(signal);
    yield toPage(
      crm,
      part.map(({ id }) => id),
      cursorAfter(at),
      contacts,
    );
  }

  /**
   * Removed contacts may have later revisions than the next pages. Pages with removed contacts therefore do not move
   * the cursor.
   */
  function cursorAfter(at: number): string | null {
    if (at === parts.length - 1) return newest;
    return at < gone.length ? cursor : String(parts[at]?.at(-1)?.revision ?? 0);
  }
}

/**
 * Returns true if a reading reports the contact as removed. As in real CRMs, a first reading reports merged contacts
 * but no deleted contacts.
 */
function isReported(crm: MemoryCrm, id: string, since: string | null): boolean {
  const tombstone = crm.tombstones.get(id);
  if (tombstone === undefined) return false;
  return tombstone.mergedInto !== null || (since !== null && tombstone.revision > Number(since));
}

function partsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/**
 * Returns the contacts that do not match the filter, have changed after the cursor, and have an opt-out or an
 * objection.
 */
export async function* findMarked(
  crm: MemoryCrm,
  cursor: string | null,
  signal: AbortSignal,
  contacts: ContactsSettings,
): AsyncGenerator<readonly string[]> {
  if (crm.filter === null) return;
  await crm.enter('findMarked');
  throwIfStopped(signal);
  yield changesAfter(crm, Number(cursor ?? 0)).flatMap(({ id }) => {
    const lookup = lookUp(crm, id, [], contacts);
    const contact = lookup.state === 'found' ? lookup.contact : null;
    const isMarked = contact?.optedOut === true || contact?.objects === true;
    return isMarked && !isIncluded(crm, id) ? id : [];
  });
}

export function lookUp(
  crm: MemoryCrm,
  id: string,
  fields: readonly string[],
  contacts: ContactsSettings,
): RecordLookup {
  const record = crm.records.get(id);
  if (record === undefined) {
    const tombstone = crm.tombstones.get(id);
    if (tombstone === undefined) return { state: 'missing', id };
    return { state: 'removed', id, mergedInto: tombstone.mergedInto };
  }
  const values = fields.map((name) => [name, record.values[name] ?? null]);
  return {
    state: 'found',
    id,
    contact: withMarks(crm, record, contacts),
    values: Object.fromEntries(values),
  };
}

/** Adds the marks from the fields in the settings to the record's own marks. */
function withMarks(
  crm: MemoryCrm,
  { contact: stored, values }: MemoryRecord,
  contacts: ContactsSettings,
): Contact {
  const contact = crm.visible(stored);
  const { optedOut, excluded } = readMarks(contacts, (field) =>
    crm.fields.has(field) ? String(values[field] ?? '') : undefined,
  );
  return {
    ...contact,
    optedOut: contact.optedOut || optedOut,
    ...(excluded === undefined ? {} : { excluded }),
  };
}

/** Yields a group's members. The reading stops early if a test has set this. */
export async function* readGroup(
  crm: MemoryCrm,
  selector: GroupSelector,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  await crm.enter('readGroup');
  const { group: name } = memoryGroupSchema.parse(selector);
  const group = crm.groups.get(name);
  if (group === undefined) {
    const message = `There is no group "${name}"; there are ${[...crm.groups.keys()].join(', ')}.`;
    throw new ConfigurationError(message, { code: 'group_missing' });
  }
  const { members, breaksAfter } = group;
  const readable = breaksAfter === null ? members : members.slice(0, breaksAfter);
  for (let start = 0; start < readable.length; start += MEMBERS_PER_PORTION) {
    throwIfStopped(signal);
    yield readable.slice(start, start + MEMBERS_PER_PORTION);
  }
  throwIfStopped(signal);
  if (breaksAfter !== null) {
    throw new RetriableError(`The group "${name}" broke off.`, { code: 'group_unreadable' });
  }
}

function changesAfter(crm: MemoryCrm, cursor: number): { id: string; revision: number }[] {
  const records = [...crm.records].map(([id, { revision }]) => ({ id, revision }));
  return [...records, ...crm.tombstones.values()]
    .filter(({ revision }) => revision > cursor)
    .sort((a, b) => a.revision - b.revision);
}

/**
 * Returns true if the contact matches the client's filter. Also returns true for a contact that does not exist, because
 * the filter does not apply to it.
 */
export function isIncluded({ records, filter }: MemoryCrm, id: string): boolean {
  const record = records.get(id);
  return record === undefined || filter === null || filter(record);
}

function toPage(
  crm: MemoryCrm,
  ids: readonly string[],
  cursor: string | null,
  contacts: ContactsSettings,
): ContactPage {
  const lookups = ids.flatMap((id) => (isIncluded(crm, id) ? lookUp(crm, id, [], contacts) : []));
  return {
    contacts: lookups.flatMap((lookup) => (lookup.state === 'found' ? [lookup.contact] : [])),
    removed: lookups.flatMap((lookup) =>
      lookup.state === 'removed' ? [{ id: lookup.id, mergedInto: lookup.mergedInto }] : [],
    ),
    cursor,
  };
}
