/** Describes changed identities without quoting them. */
import { describeCount } from './quantities.ts';

export type IdentityPart = 'name' | 'addresses' | 'employers';

/** `unknown` if a fingerprint lacks its parts. */
export type ChangedPart = IdentityPart | 'unknown';

export const CHANGED_PARTS = [
  'name',
  'addresses',
  'employers',
  'unknown',
] as const satisfies readonly ChangedPart[];

const WORDS: Readonly<Record<ChangedPart, readonly [one: string, many: string]>> = {
  name: ['name', 'names'],
  addresses: ['address', 'addresses'],
  employers: ['employer', 'employers'],
  unknown: ['change of an unknown part', 'changes of an unknown part'],
};

export function changedPartsText(parts: readonly ChangedPart[]): string {
  if (parts.length === 0 || parts.includes('unknown')) return 'name, address or employer';
  const format = new Intl.ListFormat('en', { style: 'long' });
  return format.format(parts.map((part) => WORDS[part][0]));
}

/** Describes the changes in many contacts, most frequent part first, for example `400 addresses, 12 employers`. */
export function partCountsText(parts: Readonly<Partial<Record<ChangedPart, number>>>): string {
  return CHANGED_PARTS.map((part) => ({ part, count: parts[part] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ part, count }) => describeCount(count, ...WORDS[part]))
    .join(', ');
}
