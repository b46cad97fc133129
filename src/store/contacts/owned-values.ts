import { z } from 'zod';

/**
 * Field → fingerprint of a value that we wrote. Where the CRM's own automation changed that value, the
 * fingerprint of the value that it made of it follows behind a space.
 */
export type OwnedValues = Readonly<Record<string, string>>;

/** True if this is the value that we wrote into the field, or what the CRM's automation made of it. */
export function isOwned(values: OwnedValues, field: string, fingerprint: string): boolean {
  const owned = values[field];
  return owned === fingerprint || owned?.split(' ').includes(fingerprint) === true;
}

/** The entry of a field whose written value was changed by the CRM's own automation. */
export function normalisedEntry(sent: string, standing: string): string {
  return sent === standing ? sent : `${sent} ${standing}`;
}

/** The fingerprint of the value as it was sent; undefined for a field that we do not own. */
export function sentFingerprint(values: OwnedValues, field: string): string | undefined {
  return values[field]?.split(' ')[0];
}

/** Of every contact that was never written. */
const NONE = '{}';

const ownedSchema = z.record(z.string(), z.string());

/** The JSON of `owned_values` of a contact, and of `after` and `owned_before` of a write. */
export function parseOwned(json: string): OwnedValues {
  if (json === NONE) return {};
  return ownedSchema.parse(JSON.parse(json));
}
