/**
 * Erases one person from one integration: what we wrote into the CRM, if asked, and the store. The
 * block is on disk before (`src/privacy/forget/forget.ts`), so that no run in between brings anything
 * back; each step may be repeated, and the note says what was done before a kill.
 */

import type { Refusal } from '../../../connectors/contract.ts';
import type { FieldValue, FieldValues } from '../../core/crm-field.ts';
import { findOurValues } from '../../privacy/statements/known-contacts.ts';
import { findMerges } from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { valueFingerprint } from '../values.ts';
import { writeChanges } from '../write.ts';
import { type CrmErasure, type ErasureNote, NOTHING_CLEARED, union } from './erasure-note.ts';

export type ForgetDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer'>;

/** The contact to erase. */
export interface ForgottenContact {
  /** The canonical form of the id. */
  crmId: string;
  /** Every form of it under which something may stand, the canonical one first. */
  forms: readonly string[];
  /** Records that were merged into it: their values may have come into its fields. */
  parts: readonly string[];
}

/** Puts on disk how far an erasure has come. */
export type SaveNote = (changes: Partial<ErasureNote>) => Promise<void>;

/** What became of the fields of the CRM, and where the record lives on if it was merged. */
export interface ClearedCrm {
  crm: CrmErasure;
  mergedInto: string | null;
  /** True if the record was read, and none of its fields holds a value of ours. */
  isSeenEmpty: boolean;
  /** Why the CRM did not let fields be cleared, in its words. */
  refusals: string[];
}

/**
 * Clears every value in the CRM that is ours, one that was only about to be written among them, and
 * reads the fields again to prove it. What any of these integrations has written counts as ours, and `clearing` are the
 * fields that earlier attempts have begun to clear.
 */
export async function clearInCrm(
  deps: ForgetDeps,
  integrationIds: readonly string[],
  contact: ForgottenContact,
  clearing: readonly string[],
  save: SaveNote,
): Promise<ClearedCrm> {
  const { store, connector } = deps;
  const known = [...contact.forms, ...contact.parts];
  const ours = await findOurValues(store, integrationIds, known);
  const isOurs = (field: string, value: FieldValue): boolean =>
    known.some((id) => ours.get(field)?.has(valueFingerprint(deps, id, field, value)));
  const { seen, unseen } = await sortFields(deps, union([...ours.keys()], clearing));
  // A file without a column holds nothing in it; elsewhere a field may be there and be hidden.
  const hidden = connector.capabilities.remote ? unseen : [];
  const { values, mergedInto, isMissing, isThere } = await readFields(deps, contact.crmId, seen);
  // A row that left a file may still be in the output, which drops it now that the contact is blocked.
  if (isMissing && !connector.capabilities.remote) await connector.finish();
  // A record that donor-sync can no longer see can still hold our values.
  const isHidden = isMissing && connector.capabilities.remote;
  const unreadable = isHidden ? [...hidden, ...seen] : hidden;
  const toClear = seen.filter(
    (field) => !isEmpty(values[field]) && isOurs(field, presentValue(values, field)),
  );
  const begun = union(clearing, toClear);
  // On disk first: should this be cut off, the next attempt knows which fields to look at.
  await save({ crm: { ...NOTHING_CLEARED, unreadable, hidden }, clearing: begun });
  const refusals = toClear.length === 0 ? [] : await clearFields(deps, contact.crmId, toClear);
  const after =
    toClear.length === 0 ? values : (await readFields(deps, contact.crmId, seen)).values;
  const stillPresent = seen.filter(
    (field) => !isEmpty(after[field]) && isOurs(field, presentValue(after, field)),
  );
  const crm: CrmErasure = {
    cleared: begun.filter((field) => isEmpty(after[field]) && !unreadable.includes(field)),
    editedSince: seen.filter((field) => !isEmpty(after[field]) && !stillPresent.includes(field)),
    stillPresent,
    unreadable,
    hidden,
    unrecognized: [],
    verified: stillPresent.length === 0 && unreadable.length === 0,
  };
  await save({ crm });
  return { crm, mergedInto, refusals, isSeenEmpty: isThere && crm.verified };
}

function isEmpty(value: FieldValue | undefined): boolean {
  return value === null || value === undefined;
}

function presentValue(values: FieldValues, field: string): FieldValue {
  return values[field] ?? null;
}

/** The fields that the integration's user can see, and those that it cannot or that are gone. */
async function sortFields(
  { connector }: Pick<ForgetDeps, 'connector'>,
  fields: readonly string[],
): Promise<{ seen: string[]; unseen: string[] }> {
  if (fields.length === 0) return { seen: [], unseen: [] };
  const visible = new Set((await connector.describeFields()).map(({ name }) => name));
  return {
    seen: fields.filter((field) => visible.has(field)),
    unseen: fields.filter((field) => !visible.has(field)),
  };
}

/** The present values; none if the record is gone. */
async function readFields(
  { connector }: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  fields: readonly string[],
): Promise<{
  values: FieldValues;
  mergedInto: string | null;
  isMissing: boolean;
  isThere: boolean;
}> {
  const [lookup] = await connector.readByIds([crmId], fields);
  if (lookup?.state === 'found') {
    return { values: lookup.values, mergedInto: null, isMissing: false, isThere: true };
  }
  const mergedInto = lookup?.state === 'removed' ? lookup.mergedInto : null;
  return { values: {}, mergedInto, isMissing: lookup?.state === 'missing', isThere: false };
}

/** Every record whose values may be in this one by a merge: as the CRM tells, and as runs have read it. */
export async function findParts(
  { store, connector }: Pick<ForgetDeps, 'store' | 'connector'>,
  integrationIds: readonly string[],
  crmId: string,
): Promise<string[]> {
  const byHeir = new Map<string, string[]>();
  for (const id of integrationIds) {
    for (const [part, heir] of await findMerges(store.reader, id)) {
      byHeir.set(heir, [...(byHeir.get(heir) ?? []), part]);
    }
  }
  const all = [crmId];
  for (let at = 0; at < all.length; at += 1) {
    const heir = all[at] ?? '';
    const told = (await connector.findMerged?.(heir)) ?? [];
    for (const part of [...told, ...(byHeir.get(heir) ?? [])]) {
      if (!all.includes(part)) all.push(part);
    }
  }
  return all.slice(1);
}

/**
 * What is left in the CRM of a person that the store has forgotten: fields that were written, or are in the field map,
 * with values of which nothing is known any more.
 */
export async function lookAtLeftovers(
  deps: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  { written, cleared, mapped }: LeftoverFields,
): Promise<CrmErasure> {
  const { seen, unseen } = await sortFields(deps, union(written, mapped));
  const { values, isMissing } = await readFields(deps, crmId, seen);
  const unrecognized = seen.filter((field) => !isEmpty(values[field]));
  const unknown = isMissing ? [...seen, ...unseen] : unseen;
  // A file without a column holds nothing in it.
  const unreadable = deps.connector.capabilities.remote
    ? unknown.filter((field) => written.includes(field) && !cleared.includes(field))
    : [];
  return {
    ...NOTHING_CLEARED,
    unrecognized,
    unreadable,
    cleared: cleared.filter((field) => !unrecognized.includes(field)),
    verified: unrecognized.length + unreadable.length === 0,
  };
}

/** Where values of a forgotten person may be, by name. */
export interface LeftoverFields {
  /** Fields that were written. */
  written: readonly string[];
  /** Those of them that the erasure has cleared. */
  cleared: readonly string[];
  /** Fields of the field map. */
  mapped: readonly string[];
}

/** Clears the fields of one record; if it refuses, each by itself. Resolves with why some could not. */
async function clearFields(
  deps: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  fields: readonly string[],
): Promise<string[]> {
  const [refused] = await clearValues(deps, [{ id: crmId, fields }]);
  const refusals: string[] = [];
  if (refused !== undefined && fields.length > 1) {
    for (const field of fields) {
      for (const refusal of await clearValues(deps, [{ id: crmId, fields: [field] }])) {
        refusals.push(`${field}: ${refusal.message} (${refusal.code})`);
      }
    }
  } else if (refused !== undefined) {
    refusals.push(`${fields.join(', ')}: ${refused.message} (${refused.code})`);
  }
  await deps.connector.finish();
  return refusals;
}

/** Why contacts, or some of their fields, could not be cleared. */
async function clearValues(
  deps: Pick<ForgetDeps, 'connector'>,
  changes: readonly { id: string; fields: readonly string[] }[],
): Promise<(Refusal & { id: string })[]> {
  const nulls = changes.map(({ id, fields }) => ({
    id,
    values: Object.fromEntries(fields.map((field) => [field, null])),
  }));
  const results = await writeChanges(deps, nulls);
  return [...results.values()].flatMap((result) => {
    if (result.status === 'written') return [];
    const refusals = result.status === 'refused' ? [result] : result.refusals;
    return refusals.map((refusal) => ({ ...refusal, id: result.id }));
  });
}
