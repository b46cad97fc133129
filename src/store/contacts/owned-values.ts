import { z } from 'zod';

/** Field → fingerprint of a value that we wrote. */
export type OwnedValues = Readonly<Record<string, string>>;

/** Of every contact that was never written. */
const NONE = '{}';

const ownedSchema = z.record(z.string(), z.string());

/** The JSON of `owned_values` of a contact, and of `after` and `owned_before` of a write. */
export function parseOwned(json: string): OwnedValues {
  if (json === NONE) return {};
  return ownedSchema.parse(JSON.parse(json));
}
