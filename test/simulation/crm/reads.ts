/** What a process reads of a simulated CRM: what has changed, page by page, and records by their ids. */
import type { ContactPage, RecordLookup } from '../../../connectors/contract.ts';
import type { Contact } from '../../../src/core/contact.ts';
import { addressText, employerText } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';
import type { Inside } from './crm.ts';
import { type Record_, versionOf } from './record.ts';

/** A record that changed, and the revision that it had when it was found. */
export interface Change {
  record: Record_;
  at: number;
}

/** Ids are written in small letters; people and programs type them as they like. */
export function canonicalId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[a-z]+-\d{3}$/.test(id) ? id : null;
}

/** With the revisions as they are now: what changes while the pages are read comes with a later one. */
export function changesAfter({ crm, deps }: Inside, cursor: number): Change[] {
  const visible = deps.timeline.now() - deps.lagMs;
  const changed = [...crm.records.values()]
    .filter((record) => record.revision > cursor && !record.isVanished)
    .sort((a, b) => a.revision - b.revision);
  const late = changed.findIndex(({ changedAt }) => changedAt > visible);
  const found = late < 0 ? changed : changed.slice(0, late);
  return found.map((record) => ({ record, at: record.revision }));
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
    cursor: String(page.at(-1)?.at ?? 0),
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
  if (record === undefined || record.gone !== null) {
    return { state: 'removed', id: text, mergedInto: record?.gone?.mergedInto ?? null };
  }
  if (record.isVanished) return { state: 'missing', id: text };
  if (fields.length > 0) record.valuesReadBy.set(life.name, deps.timeline.now());
  // Who died with the refusal has left a write that may have happened: a blank field may be what an undo made of it.
  const isUncertain = [...record.refusedTo].some(({ wasHurt }) => wasHurt);
  record.isUndone ||= life.isAtDesk && fields.length > 0 && isUncertain;
  const values = fields.map((field) => [field, record.values.get(field)?.value ?? null]);
  return {
    state: 'found',
    id: text,
    // As some CRMs do: the form that was asked for comes back.
    contact: { ...contactOf(inside, life, record), id: text },
    values: Object.fromEntries(values),
  };
}

function contactOf({ crm, deps }: Inside, life: Life, record: Record_): Contact {
  const { hidden } = crm;
  const at = deps.timeline.now();
  record.readBy.set(life.name, at);
  const { id, human, firstName, details, optedOutAt } = record;
  record.readAs.push({ version: versionOf(details), by: life.name, at });
  const contact: Contact = {
    id,
    firstName,
    lastName: human.last,
    addresses: hidden.has('address') ? [] : [addressText(details.address)],
    employers: hidden.has('employer') ? [] : [employerText(details.employer)],
    optedOut: optedOutAt !== null,
  };
  return hidden.size === 0 ? contact : { ...contact, unreadable: [...hidden] };
}
