import { z } from 'zod';

/**
 * Field → fingerprint of a value that we wrote. Behind a space may follow the fingerprint of what the CRM's own
 * automation made of it, and the rate of an amount that was converted, for example `JPY:150:0`.
 */
export type OwnedValues = Readonly<Record<string, string>>;

/** True if this is the value that we wrote into the field, or what the CRM's automation made of it. */
export function isOwned(values: OwnedValues, field: string, fingerprint: string): boolean {
  const owned = values[field];
  return owned === fingerprint || owned?.split(' ').includes(fingerprint) === true;
}

/** The entry of a field whose written value was changed by the CRM's own automation. */
export function normalisedEntry(entry: string, standing: string): string {
  const [sent, ...more] = entry.split(' ');
  return sent === standing
    ? entry
    : [sent, standing, ...more.filter(isRate)].filter((part) => part !== undefined).join(' ');
}

/** True of a field whose written value was changed by the CRM's own automation. */
export function isNormalised(values: OwnedValues, field: string): boolean {
  return (values[field]?.split(' ').filter((part) => !isRate(part)).length ?? 0) > 1;
}

/** A rate in the entry of a field: the currency, what one US dollar is in it, and its digits after the point. */
export interface OwnedRate {
  code: string;
  perDollar: number;
  decimals: number;
}

/** The entry with the rate by which its amount was converted. */
export function withRate(entry: string, { code, perDollar, decimals }: OwnedRate): string {
  return `${entry} ${code}:${perDollar}:${decimals}`;
}

/** The rate by which the written amount was converted; null if it was not. */
export function rateIn(values: OwnedValues, field: string): OwnedRate | null {
  const [code = '', perDollar, decimals] = values[field]?.split(' ').find(isRate)?.split(':') ?? [];
  return code === '' ? null : { code, perDollar: Number(perDollar), decimals: Number(decimals) };
}

/** Fingerprints have no colon. */
function isRate(part: string): boolean {
  return part.includes(':');
}

/** The fingerprint of the value as it was sent; undefined for a field that we do not own. */
export function sentFingerprint(values: OwnedValues, field: string): string | undefined {
  return values[field]?.split(' ')[0];
}

/** Of every contact that was never written. */
const NONE = '{}';

/** The entries of all other fields. */
export function withoutFields(values: OwnedValues, fields: readonly string[]): OwnedValues {
  if (fields.length === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !fields.includes(name)));
}

const ownedSchema = z.record(z.string(), z.string());

/** The JSON of `owned_values` of a contact, and of `after` and `owned_before` of a write. */
export function parseOwned(json: string): OwnedValues {
  if (json === NONE) return {};
  return ownedSchema.parse(JSON.parse(json));
}
