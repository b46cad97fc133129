/**
 * Erases one person from one integration: what we wrote into the CRM, if asked, and the store. The
 * block is on disk before (`src/application/forget/forget.ts`), so that no run in between brings anything
 * back; each step may be repeated, and the note says what was done before a kill.
 */
import type { Refusal } from '../../connectors/contract.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { type FieldMapping, PATH_SOURCES } from '../core/field-map.ts';
import type { SyncDeps } from '../run/context.ts';
import { parseOwned } from '../store/contacts/owned-values.ts';
import type { Lease } from '../store/engine/leases.ts';
import { valuesBeforePlace } from '../store/secrets/seal-places.ts';
import {
  type CrmErasure,
  type ErasedCounts,
  type ErasureNote,
  NOTHING_CLEARED,
  union,
} from './erasure-note.ts';
import { openValues, ownershipOf, sealValues, valueFingerprint } from './values.ts';
import { writeChanges } from './write.ts';

export type ForgetDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer'>;

/** The contact to erase. */
export interface ForgottenContact {
  /** The canonical form of the id. */
  crmId: string;
  /** Every form of it under which something may stand, the canonical one first. */
  forms: readonly string[];
  /** True for a text that names the person. */
  isNamedIn: (text: string) => boolean;
}

/** Puts on disk how far an erasure has come. */
export type SaveNote = (changes: Partial<ErasureNote>) => Promise<void>;

/** What became of the fields of the CRM, and where the record lives on if it was merged. */
export interface ClearedCrm {
  crm: CrmErasure;
  mergedInto: string | null;
  /** Why the CRM did not let fields be cleared, in its words. */
  refusals: string[];
}

/**
 * Clears every value in the CRM that is ours, one that was only about to be written among them, and
 * reads the fields again to prove it. What any of these integrations has written counts as ours.
 */
export async function clearInCrm(
  deps: ForgetDeps,
  integrationIds: readonly string[],
  contact: ForgottenContact,
  before: CrmErasure | null,
  save: SaveNote,
): Promise<ClearedCrm> {
  const { store, connector } = deps;
  const ours = await store.forget.findOurValues(integrationIds, contact.forms);
  const isOurs = (field: string, value: FieldValue): boolean =>
    contact.forms.some((id) => ours.get(field)?.has(valueFingerprint(deps, id, field, value)));
  const { seen, unseen } = await sortFields(deps, union([...ours.keys()], before?.cleared ?? []));
  // A file without a column holds nothing in it; elsewhere a field may be there and be hidden.
  const hidden = connector.capabilities.remote ? unseen : [];
  const { values, mergedInto, isMissing } = await readFields(deps, contact.crmId, seen);
  // A record that donor-sync can no longer see can still hold our values; of a row that left a file nothing does.
  const isHidden = isMissing && connector.capabilities.remote;
  const unreadable = isHidden ? [...hidden, ...seen] : hidden;
  const toClear = seen.filter(
    (field) => !isEmpty(values[field]) && isOurs(field, presentValue(values, field)),
  );
  const begun = union(before?.cleared ?? [], toClear);
  // On disk first: should this be cut off, the fields are known to have been cleared by it.
  await save({ crm: { ...NOTHING_CLEARED, unreadable, cleared: begun } });
  const refusals = toClear.length === 0 ? [] : await clearFields(deps, contact.crmId, toClear);
  const after =
    toClear.length === 0 ? values : (await readFields(deps, contact.crmId, seen)).values;
  const stillPresent = seen.filter(
    (field) => !isEmpty(after[field]) && isOurs(field, presentValue(after, field)),
  );
  const crm: CrmErasure = {
    cleared: begun.filter((field) => isEmpty(after[field])),
    editedSince: seen.filter((field) => !isEmpty(after[field]) && !stillPresent.includes(field)),
    stillPresent,
    unreadable,
    unrecognized: [],
    verified: stillPresent.length === 0 && unreadable.length === 0,
  };
  await save({ crm });
  return { crm, mergedInto, refusals };
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
): Promise<{ values: FieldValues; mergedInto: string | null; isMissing: boolean }> {
  const [lookup] = await connector.readByIds([crmId], fields);
  if (lookup?.state === 'found') {
    return { values: lookup.values, mergedInto: null, isMissing: false };
  }
  const mergedInto = lookup?.state === 'removed' ? lookup.mergedInto : null;
  return { values: {}, mergedInto, isMissing: lookup?.state === 'missing' };
}

/**
 * What is left in the CRM of a person that the store has forgotten: fields of the field map with
 * values of which nothing is known any more.
 */
export async function lookAtLeftovers(
  deps: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  mappings: readonly FieldMapping[],
): Promise<CrmErasure> {
  const { seen } = await sortFields(
    deps,
    mappings.map(({ to }) => to),
  );
  const { values } = await readFields(deps, crmId, seen);
  const unrecognized = seen.filter((field) => !isEmpty(values[field]));
  return { ...NOTHING_CLEARED, unrecognized, verified: unrecognized.length === 0 };
}

/** Clears the fields of one record; if it refuses, each by itself. Resolves with why some could not. */
async function clearFields(
  deps: Pick<ForgetDeps, 'connector'>,
  crmId: string,
  fields: readonly string[],
): Promise<string[]> {
  const [refused] = await refusalsOf(deps, [{ id: crmId, fields }]);
  const refusals: string[] = [];
  if (refused !== undefined && fields.length > 1) {
    for (const field of fields) {
      for (const refusal of await refusalsOf(deps, [{ id: crmId, fields: [field] }])) {
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
async function refusalsOf(
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

/**
 * Clears the fields of other contacts that name the person as their introducer. Those that the CRM
 * refuses stay queued, and the next sync writes over them. How many there are is on record before the
 * first is cleared: after a kill only the rest of them is found.
 */
export async function clearIntroductions(
  deps: ForgetDeps,
  lease: Lease,
  { forms }: ForgottenContact,
  mappings: readonly FieldMapping[],
  erased: ErasedCounts,
  save: SaveNote,
): Promise<void> {
  const { store, connector } = deps;
  const { seen: fields } = await sortFields(deps, pathFields(mappings));
  if (fields.length === 0) return;
  const introduced = await store.warmPaths.listIntroduced(lease.integrationId, forms);
  if (introduced.length === 0) return;
  const begun = Math.max(erased.introductions, introduced.length);
  await save({ erased: { ...erased, introductions: begun } });
  const { readBatch, writeBatch } = connector.capabilities;
  const size = Math.min(readBatch, writeBatch.max);
  let refusals = 0;
  for (let start = 0; start < introduced.length; start += size) {
    const some = introduced.slice(start, start + size);
    const ids = some.map(({ crmId }) => crmId);
    const owned = new Map(some.map(({ crmId, ownedValues }) => [crmId, parseOwned(ownedValues)]));
    const intended = await store.deliveries.findIntended(lease.integrationId, ids);
    const lookups = await connector.readByIds(ids, fields);
    const changes = lookups.flatMap((lookup) => {
      if (lookup.state !== 'found') return [];
      const known = [owned.get(lookup.id) ?? {}, ...(intended.get(lookup.id) ?? [])];
      const isOurs = ownershipOf(deps, lookup.id, known);
      const ours = fields.filter((field) => {
        const value = presentValue(lookup.values, field);
        return !isEmpty(value) && isOurs(field, value);
      });
      return ours.length > 0 ? [{ id: lookup.id, fields: ours }] : [];
    });
    const refused = new Set((await refusalsOf(deps, changes)).map(({ id }) => id));
    await connector.finish();
    const done = ids.filter((id) => !refused.has(id));
    await store.warmPaths.dropIntroducers(lease, done);
    refusals += refused.size;
  }
  await save({ erased: { ...erased, introductions: begun - refusals } });
}

function pathFields(mappings: readonly FieldMapping[]): string[] {
  return mappings.flatMap(({ from, to }) => (PATH_SOURCES.includes(from) ? to : []));
}

/**
 * Takes texts that name the person out of what `undo` would restore in other contacts. `isIntroducer`
 * takes out all that was written about introducers: a text may name a person as the service knows them.
 */
export async function dropIntroductionsKept(
  { store, sealer }: Pick<ForgetDeps, 'store' | 'sealer'>,
  { integrationId }: Lease,
  { forms, isNamedIn }: ForgottenContact,
  mappings: readonly FieldMapping[],
  isIntroducer: boolean,
): Promise<void> {
  const fields = pathFields(mappings);
  if (fields.length === 0) return;
  const names = (value: FieldValue): boolean =>
    typeof value === 'string' && (isIntroducer || isNamedIn(value));
  for await (const writes of store.forget.listWritesInto(integrationId, fields, forms)) {
    const changed = writes.flatMap(({ id, crmId, before }) => {
      const place = valuesBeforePlace({ id, integrationId, crmId });
      const values = openValues(sealer, before, place);
      const telling = fields.filter((field) => names(presentValue(values, field)));
      if (telling.length === 0) return [];
      const nulls = Object.fromEntries(telling.map((field) => [field, null]));
      return [{ id, before: sealValues(sealer, { ...values, ...nulls }, place) }];
    });
    if (changed.length > 0) await store.forget.replaceBefore(changed);
  }
}
