import { z } from 'zod';

/**
 * The fingerprints of the values that donor-sync wrote, by field. A field's entry starts with the fingerprint of the
 * written value. The fingerprint of the CRM's normalised value and a conversion rate, such as `JPY:150:0`, can follow
 * after spaces.
 */
export type OwnedValues = Readonly<Record<string, string>>;

/** True for the value that donor-sync wrote, and for the value that the CRM's automation made of it. */
export function isOwned(values: OwnedValues, field: string, fingerprint: string): boolean {
  const owned = values[field];
  return owned === fingerprint || owned?.split(' ').includes(fingerprint) === true;
}

export function normalisedEntry(entry: string, standing: string): string {
  const [sent, ...more] = entry.split(' ');
  return sent === standing
    ? entry
    : [sent, standing, ...more.filter(isRate)].filter((part) => part !== undefined).join(' ');
}

export function isNormalised(values: OwnedValues, field: string): boolean {
  return (values[field]?.split(' ').filter((part) => !isRate(part)).length ?? 0) > 1;
}

/** A currency, its value per US dollar, and its decimal places. */
export interface OwnedRate {
  code: string;
  perDollar: number;
  decimals: number;
}

/** Returns the field's entry with the rate at which the written amount was converted. */
export function withRate(entry: string, { code, perDollar, decimals }: OwnedRate): string {
  return `${entry} ${code}:${perDollar}:${decimals}`;
}

/** Returns the rate at which the written amount was converted, or null if it was not converted. */
export function rateIn(values: OwnedValues, field: string): OwnedRate | null {
  const [code = '', perDollar, decimals] = values[field]?.split(' ').find(isRate)?.split(':') ?? [];
  return code === '' ? null : { code, perDollar: Number(perDollar), decimals: Number(decimals) };
}

/** True if the part of an entry is a rate. A rate contains a colon, and a fingerprint never does. */
function isRate(part: string): boolean {
  return part.includes(':');
}

/** Returns the fingerprint of the value that was sent for the field, or undefined if donor-sync wrote no value. */
export function sentFingerprint(values: OwnedValues, field: string): string | undefined {
  return values[field]?.split(' ')[0];
}

/** The JSON of a contact without any written values. */
const NONE = '{}';

/** Returns the entries of all fields except these fields. */
export function withoutFields(values: OwnedValues, fields: readonly string[]): OwnedValues {
  if (fields.length === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !fields.includes(name)));
}

const ownedSchema = z.record(z.string(), z.string());

/** Parses `owned_values`, `after` or `owned_before`. */
export function parseOwned(json: string): OwnedValues {
  if (json === NONE) return {};
  return ownedSchema.parse(JSON.parse(json));
}
