/** Stores field values: as keyed hashes that recognise them, and encrypted so that they can be restored. */
import { z } from 'zod';
import { isOwned, type OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { createOwnerFingerprint, type Fingerprint } from '../database/encryption/fingerprint.ts';
import type { SealContext, Sealer } from '../database/encryption/sealed.ts';
import { comparableText } from '../mapping/same-value.ts';
import type { Store } from '../store.ts';

type Fingerprints = { store: Pick<Store, 'fingerprint'> };

/** Returns the keyed hash that recognises a value of ours in the CRM. */
export function valueFingerprint(
  { store }: Fingerprints,
  crmId: string,
  field: string,
  value: FieldValue,
): string {
  const text = JSON.stringify([field, comparableText(value)]);
  return fingerprintValues(store.fingerprint)(crmId, text);
}

const byStore = new WeakMap<Fingerprint, ReturnType<typeof createOwnerFingerprint>>();

/** Fingerprints values with a key for each contact, so equal values of two contacts have different fingerprints. */
function fingerprintValues(fingerprint: Fingerprint) {
  const existing = byStore.get(fingerprint);
  if (existing !== undefined) return existing;
  const created = createOwnerFingerprint(fingerprint, 'values of a contact');
  byStore.set(fingerprint, created);
  return created;
}

/** Returns the keyed hash of a donor whom a text names. */
export function introducerFingerprint({ store }: Fingerprints, donorId: string): string {
  return store.fingerprint('introducer', donorId);
}

/**
 * Returns keyed hashes of some of the values. Equal values in two contacts or fields get different hashes.
 */
export function valueFingerprints(
  deps: Fingerprints,
  crmId: string,
  values: FieldValues,
  fields: readonly string[] = Object.keys(values),
): OwnedValues {
  return Object.fromEntries(
    fields.map((field) => [field, valueFingerprint(deps, crmId, field, values[field] ?? null)]),
  );
}

/**
 * Returns a function that tells whether a value in a field of this contact is ours, according to these fingerprints.
 */
export function createOwnershipCheck(
  deps: Fingerprints,
  crmId: string,
  known: readonly OwnedValues[],
): (field: string, value: FieldValue) => boolean {
  return (field, value) => {
    const owning = known.filter((values) => values[field] !== undefined);
    if (owning.length === 0) return false;
    const fingerprint = valueFingerprint(deps, crmId, field, value);
    return owning.some((values) => isOwned(values, field, fingerprint));
  };
}

const valuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Encrypts values for undo. They can be decrypted only with the secret key and only in their own row. */
export function sealValues(
  sealer: Pick<Sealer, 'seal'>,
  values: FieldValues,
  place: SealContext,
): string {
  return sealer.seal(JSON.stringify(values), place);
}

export function openValues(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  place: SealContext,
): FieldValues {
  return valuesSchema.parse(JSON.parse(sealer.open(sealed, place)));
}
