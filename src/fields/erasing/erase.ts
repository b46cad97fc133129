/**
 * Erases a person from one integration's store. If requested, also clears the values that donor-sync wrote into the
 * CRM. The block is already on disk (`src/privacy/forget/forget.ts`), so no run stores the person again. Each step of
 * an erasure can be repeated. The erasure note lists the completed steps.
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

export interface ForgottenContact {
  crmId: string;
  /** Every form of the contact's ID. The canonical form is the first in the list. */
  forms: readonly string[];
  /** The IDs of merged records and former rows. Values of these records may be in this contact's fields. */
  parts: readonly string[];
}

/** Writes the progress of an erasure to disk. */
export type SaveNote = (changes: Partial<ErasureNote>) => Promise<void>;

export interface ClearedCrm {
  crm: CrmErasure;
  mergedInto: string | null;
  /** True if the CRM record was read and contains no values from donor-sync. */
  isSeenEmpty: boolean;
  /** The CRM's own reasons for refusing to clear fields. */
  refusals: string[];
}

/**
 * Clears the values that donor-sync wrote into the contact's fields, and reads the fields again to check the result.
 * Also clears values whose write was only intended. A value counts as donor-sync's if any of these integrations wrote
 * it.
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
  // A row that left the input file may still be in the output file. `finish` drops the row, because the contact is
  // blocked.
  if (isMissing && !connector.capabilities.remote) await connector.finish();
  const { unreadable } = inspected;
  const begun = union(clearing, toClear);
  // The progress is saved first. After an interruption, the next attempt knows which fields to check.
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

interface FieldsToClear {
  /** The fields that an earlier attempt has started to clear. */
  clearing: readonly string[];
  /** The CRM fields in the field map. */
  mapped: readonly string[];
}

/**
 * Finds mapped fields with a value that the store does not know. The list may have changed the row's ID and details
 * after donor-sync wrote a value, so nothing shows who wrote the value. In a CRM that reports removals, an unknown
 * value was written by a user.
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

/** The fields of a contact before an erasure clears them. */
interface InspectedFields {
  seen: string[];
  hidden: string[];
  /** The fields that donor-sync cannot read: hidden fields, and all fields of an invisible record. */
  unreadable: string[];
  isOurs: (field: string, value: FieldValue) => boolean;
  /** The fields that contain a value from donor-sync. */
  toClear: readonly string[];
  values: FieldValues;
  mergedInto: string | null;
  isMissing: boolean;
  isThere: boolean;
}

/** Decides which of the contact's values donor-sync wrote. */
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
  // In a CRM that is not a file, the field may be hidden.
  const hidden = connector.capabilities.remote ? unseen : [];
  const { values, mergedInto, isMissing, isThere } = await readFields(deps, contact.crmId, seen);
  // A record that the CRM hides can still contain values from donor-sync.
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

/** The fields that an erasure would clear or leave. The preview and the erasure use the same functions to decide. */
export interface ClearablePreview {
  ours: readonly string[];
  changed: readonly string[];
  /** The fields that donor-sync wrote but can no longer read. */
  unreadable: readonly string[];
}

/** Returns the fields that an erasure would clear, without changing anything. */
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

/** Finds values that the CRM's automation made from values of donor-sync. */
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

/** Reads the fields of a contact. Returns an empty result if the record no longer exists. */
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
 * Returns records whose values may have moved into this record, because of a merge or a changed ID. Uses the CRM's
 * response and the data that runs have read. `forms` starts with the canonical form of the ID.
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
 * Reports which values of an erased person remain in the CRM. Checks written fields and mapped fields, because the
 * store no longer knows whether donor-sync wrote their values.
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
  // A file without this column contains no value.
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

export interface LeftoverFields {
  /** The fields that donor-sync wrote. */
  written: readonly string[];
  /** The written fields that the erasure has already cleared. */
  cleared: readonly string[];
  /** The CRM fields in the field map. */
  mapped: readonly string[];
}

/**
 * Clears the fields of one record. If the CRM refuses the request, clears each field separately. Returns the reasons
 * for the fields that were not cleared.
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

/** Clears values, and returns why contacts or fields could not be cleared. */
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
