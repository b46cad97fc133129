/** Words the audit entries. The terminal, the API and files show the same sentences. */

import { stringify } from 'csv-stringify/sync';
import type { Actor, ActorKind } from '../core/actor.ts';
import { isoTime } from '../core/clock.ts';
import { plainCell } from '../core/printable.ts';
import type { AuditFilter, AuditRecord } from './audit/read-audit.ts';
import { type AuditSource, listAuditEntries } from './audit/read-audit.ts';
import type { AuditDetails } from './audit/record.ts';

/** An audit entry in the JSON format. */
export interface AuditView {
  seq: number;
  /** The time of the action (ISO 8601). */
  at: string;
  who: Actor;
  action: string;
  integration: string | null;
  /** The contact's ID in the CRM. Null if the entry has no contact, or if the contact was erased. */
  contact: string | null;
  contactErased: boolean;
  details: AuditDetails;
  /** True if the entry can be read. False if someone changed the entry in the database. */
  readable: boolean;
}

function describeEntry(record: AuditRecord): AuditView {
  const { seq, at, actor, action, integrationId, crmId, isContactErased, details } = record;
  return {
    seq,
    at: isoTime(at),
    who: actor,
    action,
    integration: integrationId,
    contact: crmId,
    contactErased: isContactErased,
    details,
    readable: record.isReadable,
  };
}

export type AuditPageFilter = Omit<AuditFilter, 'before' | 'limit'> & {
  /**
   * A part of the actor's name, in upper or lower case. Names are encrypted, so the search decrypts the entries one by
   * one.
   */
  person?: string | undefined;
};

const PAGE = 500;

/** The maximum number of entries that are decrypted for one page if the filter names a user. */
const MOST_OPENED = 5_000;

/** A page of entries, and the position at which the next page starts. On the last page, the position is null. */
export interface AuditPage {
  entries: AuditView[];
  next: number | null;
}

/**
 * Returns the newest entries before `before` that match the filter. The page can contain fewer entries than the limit
 * if the user in the filter has few entries.
 */
export async function readAuditPage(
  source: AuditSource,
  { person, ...filter }: AuditPageFilter,
  { before, limit }: Pick<AuditFilter, 'before' | 'limit'>,
): Promise<AuditPage> {
  const entries: AuditView[] = [];
  let from = before;
  for (let opened = 0; opened < MOST_OPENED; ) {
    // Reads one entry more than the page needs. The additional entry shows whether there is a next page.
    const size = person === undefined ? limit + 1 : PAGE;
    const records = await listAuditEntries(source, { ...filter, before: from, limit: size });
    opened += records.length;
    for (const record of records) {
      if (!isBy(record, person)) continue;
      if (entries.length === limit) return { entries, next: entries.at(-1)?.seq ?? null };
      entries.push(describeEntry(record));
    }
    if (records.length < size) return { entries, next: null };
    from = records.at(-1)?.seq;
  }
  return { entries, next: from ?? null };
}

function isBy({ actor }: AuditRecord, person: string | undefined): boolean {
  return person === undefined || (actor.name ?? '').toLowerCase().includes(person.toLowerCase());
}

/** Returns entries that match the filter, newest first, in pages. Returns all matching entries if there is no limit. */
export async function* pagesOfAudit(
  source: AuditSource,
  { person, ...filter }: AuditPageFilter,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditView[]> {
  let before: number | undefined;
  let left = limit;
  while (left > 0) {
    const records = await listAuditEntries(source, {
      ...filter,
      before,
      // donor-sync must decrypt an entry to compare its actor with the filter.
      limit: person === undefined ? Math.min(PAGE, left) : PAGE,
    });
    if (records.length === 0) return;
    const entries = records.filter((record) => isBy(record, person)).slice(0, left);
    yield entries.map(describeEntry);
    left -= entries.length;
    before = records.at(-1)?.seq;
  }
}

const KINDS: Readonly<Record<ActorKind, string>> = {
  command: 'command line',
  token: 'access token',
  session: 'browser',
  local: 'first visitor',
  consent: 'browser, back from the CRM',
  door: 'in the CRM',
  webhook: 'webhook',
  schedule: 'schedule',
  product: 'donor-sync itself',
};

/** Returns an actor's description, such as `anna (command line)`. */
export function actorText({ kind, name }: Actor): string {
  return name === null ? KINDS[kind] : `${name} (${KINDS[kind]})`;
}

/** Returns a description of an entry's details, such as `decision approved, kind name_mismatch`. */
export function detailsText({ details, readable }: AuditView): string {
  if (!readable) return 'changed in the database';
  return Object.entries(details)
    .flatMap(([name, value]) =>
      value === null || value === false || name.startsWith('part.') ? [] : [`${name} ${value}`],
    )
    .join(', ');
}

/** Returns the contact's ID, or a note that the contact was erased. */
export function contactText({ contact, contactErased }: AuditView): string {
  return contactErased ? '(erased)' : (contact ?? '');
}

const COLUMNS = [
  'Entry',
  'At',
  'Who',
  'How',
  'From',
  'Action',
  'Integration',
  'Contact',
  'Details',
];

export const AUDIT_HEADER = stringify([COLUMNS]);

/** Returns entries as CSV rows. Escapes the cells, because a spreadsheet could run a cell as a formula. */
export function auditLines(entries: readonly AuditView[]): string {
  return stringify(
    entries.map((entry) => {
      const { seq, at, who, action, integration } = entry;
      const texts = [who.name ?? '', who.kind, who.from ?? '', action, integration ?? ''];
      return [seq, at, ...[...texts, contactText(entry), detailsText(entry)].map(plainCell)];
    }),
  );
}
