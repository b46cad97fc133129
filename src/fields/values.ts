import { z } from 'zod';
import { isOwned, type OwnedValues } from '../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../core/crm-field.ts';
import { createOwnerFingerprint, type Fingerprint } from '../database/encryption/fingerprint.ts';
import { NOTHING_SEALED, type SealContext, type Sealer } from '../database/encryption/sealed.ts';
import { comparableText } from '../mapping/same-value.ts';
import type { Store } from '../store.ts';

type Fingerprints = { store: Pick<Store, 'fingerprint'> };

/** Returns a value's fingerprint. With it, donor-sync recognises its own values in the CRM. */
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

function fingerprintValues(fingerprint: Fingerprint) {
  const existing = byStore.get(fingerprint);
  if (existing !== undefined) return existing;
  const created = createOwnerFingerprint(fingerprint, 'values of a contact');
  byStore.set(fingerprint, created);
  return created;
}

/** Returns the fingerprint of a donor whom a value names. */
export function introducerFingerprint({ store }: Fingerprints, donorId: string): string {
  return store.fingerprint('introducer', donorId);
}

/** Returns the fingerprints of values. Equal values have different fingerprints in different contacts or fields. */
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

/** Returns a function that recognises donor-sync's own values in a contact's fields. */
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

/**
 * Encrypts previous values for an undo. The encrypted values can be decrypted only in their own row and with the secret
 * key. In a first sync, most contacts have no previous values. Skipping their encryption saves a fiftieth of the sync's
 * time.
 */
export function sealValues(
  sealer: Pick<Sealer, 'seal'>,
  values: FieldValues,
  place: SealContext,
): string {
  if (Object.keys(values).length === 0) return NOTHING_SEALED;
  return sealer.seal(JSON.stringify(values), place);
}

export function openValues(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  place: SealContext,
): FieldValues {
  if (sealed === NOTHING_SEALED) return {};
  return valuesSchema.parse(JSON.parse(sealer.open(sealed, place)));
}
