/** Changes contacts, either for API clients or for users of CiviCRM. */

import { z } from 'zod';
import { ApiError, unauthorized } from '../core/errors.ts';
import { formatTime } from '../core/site-time.ts';
import type { Row } from '../core/tables.ts';
import { BLANK_CONTACT } from '../site/people.ts';
import type { LedgerChange, Site } from '../site/site.ts';
import { CORE_FIELDS, findCustomField, isVisible } from './contact-fields.ts';
import { getContacts } from './read-contacts.ts';

const valuesSchema = z.record(z.string(), z.unknown());
const saveSchema = z.object({
  records: z.array(valuesSchema),
  defaults: valuesSchema.default({}),
});
const updateSchema = z.object({ values: valuesSchema, where: z.array(z.unknown()).default([]) });
const createSchema = z.object({ values: valuesSchema });

type Values = z.output<typeof valuesSchema>;

/**
 * Creates or changes records. If CiviCRM refuses one record, the site's variant decides whether CiviCRM writes the
 * other records.
 */
export function saveContacts(site: Site, input: unknown): Values[] {
  const { records, defaults } = saveSchema.parse(input);
  const complete = records.map((record) => ({ ...defaults, ...record }));
  // The permissions for all records are checked before the first record is written.
  for (const record of complete) requireAccess(site, record);
  const write = () => complete.map((record) => writeRecord(site, record, 'api'));
  return site.variants().saveMode === 'whole' ? transact(site, write) : write();
}

/** Changes the contacts that match the conditions. */
export function updateContacts(site: Site, input: unknown): Values[] {
  const { values, where } = updateSchema.parse(input);
  const conditions = values['id'] === undefined ? where : [...where, ['id', '=', values['id']]];
  if (conditions.length === 0) {
    throw new ApiError('Parameter "where" is required unless primary keys are supplied in values.');
  }
  const found = getContacts(site, { select: ['id'], where: conditions }).values;
  const records = found.map(({ id }) => ({ ...values, id }));
  for (const record of records) requireAccess(site, record);
  const write = () => records.map((record) => writeRecord(site, record, 'api'));
  return site.variants().saveMode === 'whole' ? transact(site, write) : write();
}

function transact<Result>({ tables, ledger }: Site, work: () => Result): Result {
  const { length } = ledger.list();
  try {
    return tables.transact(work);
  } catch (error) {
    ledger.cut(length);
    throw error;
  }
}

export function createContact(site: Site, input: unknown): Values[] {
  const { values } = createSchema.parse(input);
  requireAccess(site, values);
  return [writeRecord(site, values, 'api')];
}

function requireAccess(site: Site, { id }: Values): void {
  if (!site.permissions.has('edit all contacts')) throw unauthorized();
  if (id !== undefined && site.permissions.isHidden(Number(id))) throw unauthorized();
}

/** Writes a record. Like APIv4, the function returns the values from the request. */
export function writeRecord(site: Site, record: Values, by: LedgerChange['by']): Values {
  const contacts = site.tables.of('Contact');
  const { id: given, ...values } = record;
  const present = given === undefined ? undefined : contacts.get(Number(given));
  if (given !== undefined && present === undefined) {
    // A value of a custom field for a contact that does not exist violates a foreign key.
    throw new ApiError('DB Error: constraint violation');
  }
  if (by === 'api' && present !== undefined) site.rules.check(present.id, values);
  const changes = toColumns(site, values, by);
  const nowMs = site.clock();
  const stamps = { created_date: nowMs, modified_date: nowMs };
  const contact = present ?? contacts.insert({ ...BLANK_CONTACT, ...stamps });
  recordChanges(site, contact, changes, by);
  const isOwnColumn = Object.keys(changes).some((column) => column in CORE_FIELDS);
  const isNewer = isOwnColumn || site.variants().triggers;
  const named = withName({ ...contact, ...changes });
  contacts.update(contact.id, { ...named, ...(isNewer ? { modified_date: nowMs } : {}) });
  return { id: contact.id, ...values };
}

function recordChanges(site: Site, contact: Row, changes: Values, by: LedgerChange['by']): void {
  for (const [column, after] of Object.entries(changes)) {
    const before = contact[column] ?? null;
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    site.ledger.add({ contact: contact.id, field: column, before, after, by });
  }
}

/** Converts fields to columns. CiviCRM drops unknown fields and fields without access, and reports no error. */
function toColumns(site: Site, values: Values, by: LedgerChange['by']): Values {
  const columns: Values = {};
  for (const [path, value] of Object.entries(values)) {
    const [name = '', suffix] = path.split(':');
    if (name in CORE_FIELDS) columns[name] = value === '' ? null : value;
    if (!name.includes('.')) continue;
    const field = by === 'api' ? findCustomField(site, name) : site.custom.find(name);
    if (field === undefined) continue;
    const options = suffix === undefined ? null : site.custom.optionsOf(field);
    // If the option does not exist, CiviCRM stores a blank.
    const wanted =
      options === null
        ? value
        : (options.find((option) => option.name === value || option.label === value)?.value ??
          null);
    const changed = by === 'user' ? wanted : site.rules.change(name, wanted);
    columns[`custom_${field.id}`] = site.custom.toColumn(field, changed, site.variants().strictSql);
  }
  return columns;
}

function withName(contact: Row): Row {
  const name = [contact['first_name'], contact['last_name']].filter(Boolean).join(' ');
  const organization = String(contact['organization_name'] ?? '');
  const isPerson = contact['contact_type'] === 'Individual';
  return { ...contact, display_name: isPerson ? name : organization };
}

const deleteSchema = z.object({ where: z.array(z.unknown()), useTrash: z.boolean().default(true) });

export function deleteContacts(site: Site, input: unknown): Values[] {
  const { where, useTrash } = deleteSchema.parse(input);
  return getContacts(site, { select: ['id'], where }).values.map(({ id }) => {
    requireAccess(site, { id });
    trash(site, Number(id), useTrash);
    return { id };
  });
}

/** Moves a contact to the trash or deletes it permanently. */
export function trash(site: Site, id: number, usesTrash = true): void {
  const contacts = site.tables.of('Contact');
  if (!usesTrash) {
    contacts.remove(id);
    return;
  }
  const stamp = site.variants().trashChangesDate ? { modified_date: site.clock() } : {};
  contacts.update(id, { is_deleted: true, ...stamp });
}

/** Merges a contact into another contact. Creates the activities in which CiviCRM records a merge. */
export function mergeContacts(site: Site, loser: number, winner: number): void {
  const { tables } = site;
  trash(site, loser);
  tables.of('Contact').update(winner, { modified_date: site.clock() });
  const merged = addActivity(site, 'Contact Merged', null, winner);
  addActivity(site, 'Contact Deleted by Merge', merged, loser);
}

function addActivity(site: Site, type: string, parent: number | null, target: number): number {
  const activity = site.tables.of('Activity').insert({
    activity_type: type,
    parent_id: parent,
    activity_date_time: site.clock(),
  });
  site.tables.of('ActivityContact').insert({ activity_id: activity.id, contact_id: target });
  return activity.id;
}

/** Returns the rows of `ActivityContact`, together with the fields of their activities. */
export function activityRows(site: Site): Row[] {
  const { tables, permissions } = site;
  if (!permissions.has('view all activities')) return [];
  return [...tables.of('ActivityContact').all()].flatMap((row) => {
    const activity = tables.of('Activity').get(Number(row['activity_id']));
    if (!isVisible(site, tables.of('Contact').get(Number(row['contact_id'])))) return [];
    return {
      ...row,
      'record_type_id:name': 'Activity Targets',
      'activity_id.activity_type_id:name': activity?.['activity_type'] ?? null,
      'activity_id.parent_id': activity?.['parent_id'] ?? null,
      'activity_id.is_deleted': false,
      'activity_id.is_test': false,
      'activity_id.activity_date_time': formatTime(
        Number(activity?.['activity_date_time']),
        site.variants().timeZone,
      ),
    };
  });
}

/** Returns the contact into which this contact was merged, or null if it was not merged. */
export function mergedTo(site: Site, contactId: number): number | null {
  const rows = activityRows(site);
  const deletion = rows.findLast(
    (row) =>
      row['contact_id'] === contactId &&
      row['activity_id.activity_type_id:name'] === 'Contact Deleted by Merge',
  );
  const parent = deletion?.['activity_id.parent_id'];
  const target = rows.find((row) => row['activity_id'] === parent);
  return target === undefined ? null : Number(target['contact_id']);
}

/** Returns the contacts that were merged into this contact. CiviCRM does not check permissions for this action. */
export function mergedFrom({ tables }: Site, contactId: number): number[] {
  const targets = [...tables.of('ActivityContact').all()];
  const merges = targets
    .filter((row) => row['contact_id'] === contactId)
    .map((row) => Number(row['activity_id']))
    .filter((id) => tables.of('Activity').get(id)?.['activity_type'] === 'Contact Merged');
  return targets
    .filter((row) =>
      merges.includes(Number(tables.of('Activity').get(Number(row['activity_id']))?.['parent_id'])),
    )
    .map((row) => Number(row['contact_id']));
}
