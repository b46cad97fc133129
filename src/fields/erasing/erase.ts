/**
 * Erases one person from the store of one integration. If requested, also clears the values that donor-sync wrote into
 * the CRM. The block is already on disk (`src/privacy/forget/forget.ts`), so no run can store the person again in the
 * meantime. Each step can be repeated, and the note records which steps were done before a kill.
 */

import type { Refusal } from '../../../connectors/contract.ts';
import type { FieldValue, FieldValues } from '../../core/crm-field.ts';
import { findOurValues } from '../../privacy/statements/known-contacts.ts';
import { findMerges } from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { valueFingerprint } from '../values.ts';
import { writeChanges } from '../write.ts';
import { type CrmErasure, type ErasureNote, NOTHING_CLEARED, union } from './erasure-note.ts';
import { findFormerRows } from './former-rows.ts';

export type ForgetDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer'>;

/** The contact to erase. */
export interface ForgottenContact {
  /** The ID in canonical form. */
  crmId: string;
  /** Every form of the ID under which data may be stored. The canonical form comes first. */
  forms: readonly string[];
  /** Records that were merged into this contact, and its former rows. Their values may have moved into its fields. */
  parts: readonly string[];
}

/** Writes the progress of an erasure to disk. */
export type SaveNote = (changes: Partial<ErasureNote>) => Promise<void>;

/** How the CRM fields were cleared, and the record that the contact was merged into, if any. */
export interface ClearedCrm {
  crm: CrmErasure;
  mergedInto: string | null;
  /** True if the record was read and its fields contain no values of ours. */
  isSeenEmpty: boolean;
  /** The CRM's own reasons for fields that it did not clear. */
  refusals: string[];
}

/**
 * Clears every value of ours in the CRM, and reads the fields again to check this. Values that were only about to be
 * written are included. A value counts as ours if any of these integrations wrote it.
 */
export async function clearInCrm(
  deps: ForgetDeps,
  integrationIds: readonly string[],
  contact: ForgottenContact,
  { clearing, mapped }: FieldsToClear,
  save: SaveNote,
): Promise<ClearedCrm> {
  const { connector } = deps;
  const inspected = await inspectFields(deps, integrationIds, contact, clearing);
  const { seen, hidden, isOurs, toClear, mergedInto, isMissing, isThere, values } = inspected;
  // A row that is no longer in the file may still be in the output file. `finish` drops it, because the
  // contact is blocked now.
  if (isMissing && !connector.capabilities.remote) await connector.finish();
  const { unreadable } = inspected;
  const begun = union(clearing, toClear);
  // Saved first, so if this attempt is interrupted, the next one knows which fields to check.
  await save({ crm: { ...NOTHING_CLEARED, unreadable, hidden }, clearing: begun });
  const refusals = toClear.length === 0 ? [] : await clearFields(deps, contact.crmId, toClear);
  const after =
    toClear.length === 0 ? values : (await readFields(deps, contact.crmId, seen)).values;
  const stillPresent = seen.filter(
    (field) => !isEmpty(after[field]) && isOurs(field, presentValue(after, field)),
  );
  const unrecognized = await findUnrecognized(deps, contact.crmId, { mapped, written: seen });
  const isClean = stillPresent.length === 0 && unreadable.length === 0;
  const crm: CrmErasure = {
    cleared: begun.filter((field) => isEmpty(after[field]) && !unreadable.includes(field)),
    editedSince: seen.filter((field) => !isEmpty(after[field]) && !stillPresent.includes(field)),
    stillPresent,
    unreadable,
    hidden,
    unrecognized,
    verified: isClean && unrecognized.length === 0,
  };
  await save({ crm });
  return { crm, mergedInto, refusals, isSeenEmpty: isThere && isClean };
}

/** The fields that an erasure reads in addition to the fields that donor-sync wrote. */
interface FieldsToClear {
  /** Fields that earlier attempts have started to clear. */
  clearing: readonly string[];
  /** Fields in the field map. */
  mapped: readonly string[];
}

/**
 * Returns mapped fields of a list's row with a value, although donor-sync wrote nothing into them as far as the store
 * knows. The list may have given the row another ID and other details since a write. Then nothing shows that the values
 * are ours. In a CRM that reports removals, IDs do not change, and such a value is a user's value.
 */
async function findUnrecognized(
  deps: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  { mapped, written }: { mapped: readonly string[]; written: readonly string[] },
): Promise<string[]> {
  if (deps.connector.capabilities.reportsRemovals) return [];
  const { seen } = await sortFields(
    deps,
    mapped.filter((field) => !written.includes(field)),
  );
  if (seen.length === 0) return [];
  const { values } = await readFields(deps, crmId, seen);
  return seen.filter((field) => !isEmpty(values[field]));
}

/** The fields of a contact that may hold values of ours, before anything is cleared. */
interface InspectedFields {
  seen: string[];
  hidden: string[];
  /** The hidden fields, and all fields of a record that donor-sync can no longer see. */
  unreadable: string[];
  /** Whether a value of the field counts as ours. */
  isOurs: (field: string, value: FieldValue) => boolean;
  /** The fields that hold a value of ours. */
  toClear: readonly string[];
  values: FieldValues;
  mergedInto: string | null;
  isMissing: boolean;
  isThere: boolean;
}

/** Reads the contact's fields, and decides which of their values are ours. */
async function inspectFields(
  deps: ForgetDeps,
  integrationIds: readonly string[],
  contact: ForgottenContact,
  clearing: readonly string[],
): Promise<InspectedFields> {
  const { store, connector } = deps;
  const known = [...contact.forms, ...contact.parts];
  const ours = await findOurValues(store, integrationIds, known);
  const isWritten = (field: string, value: FieldValue): boolean =>
    known.some((id) => ours.get(field)?.has(valueFingerprint(deps, id, field, value)));
  const { seen, unseen } = await sortFields(deps, union([...ours.keys()], clearing));
  // If a file has no such column, it contains no value in it. In any other CRM, the field may exist and be
  // hidden.
  const hidden = connector.capabilities.remote ? unseen : [];
  const { values, mergedInto, isMissing, isThere } = await readFields(deps, contact.crmId, seen);
  // A record that donor-sync can no longer see can still hold our values.
  const isHidden = isMissing && connector.capabilities.remote;
  const automated = await findAutomatedValues(
    connector,
    contact.crmId,
    seen.filter(
      (field) => !isEmpty(values[field]) && !isWritten(field, presentValue(values, field)),
    ),
    isWritten,
  );
  const isOurs = (field: string, value: FieldValue): boolean =>
    isWritten(field, value) || (automated.has(field) && value === presentValue(values, field));
  return {
    seen,
    hidden,
    unreadable: isHidden ? [...hidden, ...seen] : hidden,
    isOurs,
    toClear: seen.filter(
      (field) => !isEmpty(values[field]) && isOurs(field, presentValue(values, field)),
    ),
    values,
    mergedInto,
    isMissing,
    isThere,
  };
}

/** The fields in the CRM that an erasure would clear or leave, by the same decisions. */
export interface ClearablePreview {
  /** Fields that contain a value of ours. */
  ours: readonly string[];
  /** Fields that donor-sync wrote, and whose value has been changed since. */
  changed: readonly string[];
  /** Fields that donor-sync wrote and can no longer read. */
  unreadable: readonly string[];
}

/** Shows what `clearInCrm` would clear; changes nothing. */
export async function previewClearing(
  deps: ForgetDeps,
  integrationId: string,
  integrationIds: readonly string[],
  { crmId, forms }: Pick<ForgottenContact, 'crmId' | 'forms'>,
): Promise<ClearablePreview> {
  const parts = await findParts(deps, integrationId, integrationIds, forms);
  const contact = { crmId, forms, parts };
  const { seen, unreadable, toClear, values } = await inspectFields(
    deps,
    integrationIds,
    contact,
    [],
  );
  return {
    ours: toClear,
    changed: seen.filter((field) => !isEmpty(values[field]) && !toClear.includes(field)),
    unreadable,
  };
}

/** Returns the fields whose current value the CRM's automation has made from a value that we wrote. */
async function findAutomatedValues(
  connector: ForgetDeps['connector'],
  id: string,
  fields: readonly string[],
  isWritten: (field: string, value: FieldValue) => boolean,
): Promise<ReadonlySet<string>> {
  if (fields.length === 0) return new Set();
  const found = (await connector.findAutomated?.([{ id, fields }])) ?? [];
  const made = found.flatMap(({ madeFrom }) => Object.entries(madeFrom));
  return new Set(made.flatMap(([field, value]) => (isWritten(field, value) ? [field] : [])));
}

function isEmpty(value: FieldValue | undefined): boolean {
  return value === null || value === undefined;
}

function presentValue(values: FieldValues, field: string): FieldValue {
  return values[field] ?? null;
}

/** Splits the fields into visible fields and fields that are hidden or deleted. */
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

/** Returns the current values, or an empty object if the record is gone. */
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

/**
 * Returns every record whose values a merge, or another ID in a list, may have moved into this record. Uses the CRM's
 * response and what runs have read. `forms` are the forms of the contact's ID, the canonical form first.
 */
export async function findParts(
  { store, connector }: Pick<ForgetDeps, 'store' | 'connector'>,
  integrationId: string,
  integrationIds: readonly string[],
  forms: readonly string[],
): Promise<string[]> {
  const byHeir = new Map<string, string[]>();
  for (const id of integrationIds) {
    for (const [part, heir] of await findMerges(store.reader, id)) {
      byHeir.set(heir, [...(byHeir.get(heir) ?? []), part]);
    }
  }
  const [crmId = ''] = forms;
  const all = [crmId, ...(await findFormerRows({ store, connector }, integrationId, forms))];
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
 * Reports what remains in the CRM about a person whom the store has erased. These are values in written or mapped
 * fields. The store can no longer tell whether the values are ours.
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
  // A file without such a column has no value in it.
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

/** Fields that may hold values of an erased person. */
export interface LeftoverFields {
  /** Fields that donor-sync wrote. */
  written: readonly string[];
  /** The written fields that the erasure has already cleared. */
  cleared: readonly string[];
  /** Fields in the field map. */
  mapped: readonly string[];
}

/**
 * Clears the fields of one record. If the CRM refuses, clears each field separately. Resolves with the reasons for
 * fields that were not cleared.
 */
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

/** Clears values in the CRM. Returns why contacts, or some of their fields, could not be cleared. */
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
