import { z } from 'zod';

/**
 * Maps each field to the fingerprint of a value that we wrote. Two parts can follow after spaces: the fingerprint of
 * the value that the CRM's automation made of it, and the rate of a converted amount, such as `JPY:150:0`.
 */
export type OwnedValues = Readonly<Record<string, string>>;

/** True if this is the value that we wrote into the field, or the value that the CRM's automation made of it. */
export function isOwned(values: OwnedValues, field: string, fingerprint: string): boolean {
  const owned = values[field];
  return owned === fingerprint || owned?.split(' ').includes(fingerprint) === true;
}

/** Returns a field's entry after the CRM's automation has changed the written value. */
export function normalisedEntry(entry: string, standing: string): string {
  const [sent, ...more] = entry.split(' ');
  return sent === standing
    ? entry
    : [sent, standing, ...more.filter(isRate)].filter((part) => part !== undefined).join(' ');
}

/** Returns true for a field whose written value was changed by the CRM's automation. */
export function isNormalised(values: OwnedValues, field: string): boolean {
  return (values[field]?.split(' ').filter((part) => !isRate(part)).length ?? 0) > 1;
}

/** The rate in a field's entry: the currency, the value of one US dollar in it, and its decimal places. */
export interface OwnedRate {
  code: string;
  perDollar: number;
  decimals: number;
}

/** Returns the entry with the rate at which its amount was converted. */
export function withRate(entry: string, { code, perDollar, decimals }: OwnedRate): string {
  return `${entry} ${code}:${perDollar}:${decimals}`;
}

/** Returns the rate at which the written amount was converted, or null if it was not. */
export function rateIn(values: OwnedValues, field: string): OwnedRate | null {
  const [code = '', perDollar, decimals] = values[field]?.split(' ').find(isRate)?.split(':') ?? [];
  return code === '' ? null : { code, perDollar: Number(perDollar), decimals: Number(decimals) };
}

/** True if the part is a rate. It contains a colon, which fingerprints never do. */
function isRate(part: string): boolean {
  return part.includes(':');
}

/** Returns the fingerprint of the value as it was sent, or undefined for a field without a value of ours. */
export function sentFingerprint(values: OwnedValues, field: string): string | undefined {
  return values[field]?.split(' ')[0];
}

/** The JSON of a contact that was never written to. */
const NONE = '{}';

/** Returns the entries without those of these fields. */
export function withoutFields(values: OwnedValues, fields: readonly string[]): OwnedValues {
  if (fields.length === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !fields.includes(name)));
}

const ownedSchema = z.record(z.string(), z.string());

/** Parses the JSON of `owned_values` of a contact, and of `after` and `owned_before` of a write. */
export function parseOwned(json: string): OwnedValues {
  if (json === NONE) return {};
  return ownedSchema.parse(JSON.parse(json));
}
