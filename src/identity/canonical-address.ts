/** Stand-in until the real one comes. */
export function canonicalAddress(text: string): string {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .sort()
    .join(' ');
}
export const canonicalEmployer = canonicalAddress;
export const canonicalName = canonicalAddress;
