/** The action `Contact.get`, which returns the contacts that the user can see. */

import { z } from 'zod';
import { ApiError } from '../core/errors.ts';
import type { Row } from '../core/tables.ts';
import { type Found, getParamsSchema, getRows } from '../query/get.ts';
import { meets } from '../query/where.ts';
import { BLANK_CONTACT } from '../site/people.ts';
import type { Site } from '../site/site.ts';
import {
  CORE_FIELDS,
  comparedValue,
  isVisible,
  PrimaryRows,
  shownValue,
  withTimes,
} from './contact-fields.ts';

export function getContacts(site: Site, input: unknown): Found {
  const params = getParamsSchema.parse(input);
  const primary = new PrimaryRows(site);
  const where = withTimes(params.where, site);
  const ids = findIds(where);
  // If the request contains IDs, the response also contains contacts in the trash.
  const hasDeleted = ids !== null || names(where).includes('is_deleted');
  const afterId = findAfterId(where);
  const groups = new Map<string, ReadonlySet<number>>();
  // MySQL rejects an unknown field even if the table has no rows.
  const blank = { ...BLANK_CONTACT, id: 0, created_date: 0, modified_date: 0 };
  meets(
    where,
    (name) => comparedValue(site, primary, blank, name),
    (field) => (isGroupField(field) ? false : undefined),
  );
  return getRows<Row>(
    { ...params, where },
    {
      rows: () => candidates(site, ids, hasDeleted, afterId),
      compared: (contact) => (name) => comparedValue(site, primary, contact, name),
      shown: (contact) => (name) => shownValue(site, primary, contact, name),
      standard: () => Object.keys(CORE_FIELDS),
      special: (contact) => (field, operator, value) => {
        if (!isGroupField(field)) return undefined;
        const key = JSON.stringify([field, value]);
        const members = groups.get(key) ?? membersOf(site, field, value);
        groups.set(key, members);
        return (operator === 'IN') === members.has(contact.id);
      },
    },
  );
}

function* candidates(
  site: Site,
  ids: readonly number[] | null,
  hasDeleted: boolean,
  afterId: number,
): Generator<Row> {
  const contacts = site.tables.of('Contact');
  const rows = ids === null ? contacts.all() : ids.map((id) => contacts.get(id));
  for (const row of rows) {
    if (row !== undefined && row.id <= afterId) continue;
    if (isVisible(site, row) && (hasDeleted || row['is_deleted'] !== true)) yield row;
  }
}

/** Returns the IDs in a condition, or null if the condition contains no IDs. */
function findIds(where: readonly unknown[]): number[] | null {
  for (const clause of where) {
    if (!Array.isArray(clause) || clause[0] !== 'id') continue;
    if (clause[1] === '=') return [Number(clause[2])];
    if (clause[1] === 'IN') {
      return [...new Set(z.array(z.coerce.number()).parse(clause[2]))].toSorted((a, b) => a - b);
    }
  }
  return null;
}

/** Returns the ID after which a condition starts, or 0 if the condition contains no such ID. */
function findAfterId(where: readonly unknown[]): number {
  const found = where.find(
    (clause) => Array.isArray(clause) && clause[0] === 'id' && clause[1] === '>',
  );
  return Array.isArray(found) ? Number(found[2]) : 0;
}

function isGroupField(field: string): boolean {
  return field.split(':')[0] === 'groups';
}

function names(where: readonly unknown[]): unknown[] {
  return where.map((clause) => (Array.isArray(clause) ? clause[0] : null));
}

/**
 * Returns the members of groups, which the request names by ID or by name. The members of a smart group are the
 * contacts that its search finds.
 */
export function membersOf(site: Site, field: string, value: unknown): ReadonlySet<number> {
  const wanted = z
    .array(z.union([z.string(), z.number()]))
    .parse(Array.isArray(value) ? value : [value]);
  const column = field.split(':')[1] === 'name' ? 'name' : 'id';
  const members = new Set<number>();
  for (const group of site.tables.of('Group').all()) {
    if (!wanted.some((each) => String(each) === String(group[column]))) continue;
    for (const id of isSmart(group) ? smartMembers(site, group) : staticMembers(site, group.id)) {
      members.add(id);
    }
  }
  return members;
}

function isSmart(group: Row): boolean {
  return group['saved_search_id'] !== null;
}

function staticMembers({ tables }: Site, groupId: number): number[] {
  return [...tables.of('GroupContact').all()].flatMap((row) =>
    row['group_id'] === groupId && row['status'] === 'Added' ? [Number(row['contact_id'])] : [],
  );
}

function smartMembers(site: Site, group: Row): number[] {
  const kept = group['cached'];
  if (site.variants().staleSmartGroups && Array.isArray(kept)) return kept.map(Number);
  const members = findBySearch(site, group);
  site.tables.of('Group').update(group.id, { cached: members });
  return members;
}

function findBySearch(site: Site, group: Row): number[] {
  const where = z.array(z.unknown()).safeParse(group['where']).data;
  if (where === undefined) throw new ApiError('The saved search of the group is broken.');
  const primary = new PrimaryRows(site);
  return [...site.tables.of('Contact').all()]
    .filter(
      (row) =>
        row['is_deleted'] !== true &&
        meets(where, (name) => comparedValue(site, primary, row, name)),
    )
    .map(({ id }) => id);
}

/** Returns true if the request needs more time or memory than PHP allows. */
export function isTooMuch(site: Site, found: Found): boolean {
  const { maxRows } = site.variants();
  return maxRows > 0 && found.values.length > maxRows;
}
