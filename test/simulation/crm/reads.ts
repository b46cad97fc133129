/** Reads a simulated CRM as a process does: changes page by page, and records by their IDs. */
import type { ContactPage, RecordLookup } from '../../../connectors/contract.ts';
import type { Contact } from '../../../src/core/contact.ts';
import { addressText, employerText } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';
import type { Inside } from './crm.ts';
import { type Record_, versionOf } from './record.ts';

/** A changed record, with its revision when it was found. */
export interface Change {
  record: Record_;
  at: number;
}

/** Converts a contact's ID to its canonical form, because people and programs type IDs in different forms. */
export function canonicalId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[a-z]+-\d{3}$/.test(id) ? id : null;
}

/**
 * Returns the changed records with their current revisions. A record that changes while a process reads the pages gets
 * a later revision.
 */
export function changesAfter({ crm, deps }: Inside, cursor: number): Change[] {
  const visible = deps.timeline.now() - deps.lagMs;
  const changed = [...crm.records.values()]
    .filter((record) => record.revision > cursor && !record.isVanished)
    .sort((a, b) => a.revision - b.revision);
  const late = changed.findIndex(({ changedAt }) => changedAt > visible);
  const found = late < 0 ? changed : changed.slice(0, late);
  return found.map((record) => ({ record, at: record.revision }));
}

/** Returns all rows of a list in the order of their IDs. */
export function wholeList({ crm }: Inside): Change[] {
  const rows = crm.living().filter(({ isVanished }) => !isVanished);
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return rows.map((record) => ({ record, at: record.revision }));
}

export function pageOf(
  inside: Inside,
  life: Life,
  page: readonly Change[],
  all: readonly Change[],
): ContactPage {
  return {
    contacts: page.flatMap(({ record }) =>
      record.gone === null && !record.isVanished ? contactOf(inside, life, record) : [],
    ),
    removed: all.flatMap(({ record: { id, gone } }) =>
      gone === null ? [] : { id, mergedInto: gone.mergedInto },
    ),
    cursor: inside.deps.isList ? null : String(page.at(-1)?.at ?? 0),
  };
}

export function lookUp(
  inside: Inside,
  life: Life,
  text: string,
  fields: readonly string[],
): RecordLookup {
  const { crm, deps } = inside;
  const id = canonicalId(text) ?? text;
  const record = crm.records.get(id);
  const isAbsent = record === undefined || record.gone !== null;
  if (deps.isList && isAbsent) return { state: 'missing', id: text };
  if (isAbsent) {
    return { state: 'removed', id: text, mergedInto: record?.gone?.mergedInto ?? null };
  }
  if (record.isVanished) return { state: 'missing', id: text };
  if (fields.length > 0) record.valuesReadBy.set(life.name, deps.timeline.now());
  // If a process ended while its write was refused, the write may have been successful. A blank field may therefore be
  // the result of an undo.
  const isUncertain = [...record.refusedTo].some(({ wasHurt }) => wasHurt);
  record.isUndone ||= life.isAtDesk && fields.length > 0 && isUncertain;
  const values = fields.map((field) => [field, record.values.get(field)?.value ?? null]);
  return {
    state: 'found',
    id: text,
    // The response contains the ID in the form of the request, as the responses of some CRMs do.
    contact: { ...contactOf(inside, life, record), id: text },
    values: Object.fromEntries(values),
  };
}

function contactOf({ crm, deps }: Inside, life: Life, record: Record_): Contact {
  const { hidden } = crm;
  const at = deps.timeline.now();
  record.readBy.set(life.name, at);
  const { id, human, firstName, details, optedOutAt, isObjecting, doNotContactAt } = record;
  record.readAs.push({ version: versionOf(details), by: life.name, at });
  const contact: Contact = {
    id,
    firstName,
    lastName: human.last,
    addresses: hidden.has('address') ? [] : [addressText(details.address)],
    employers: hidden.has('employer') ? [] : [employerText(details.employer)],
    optedOut: optedOutAt !== null && !isObjecting,
    ...(doNotContactAt === null ? {} : { excluded: 'do_not_contact' }),
  };
  return hidden.size === 0 ? contact : { ...contact, unreadable: [...hidden] };
}
