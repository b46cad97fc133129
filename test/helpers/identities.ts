import { createIdentityReader, type IdentityReader } from '../../src/identity/identity-reader.ts';
import type { Store } from '../../src/store.ts';

/** Returns a function that reads identities from a CRM. Every source is readable. */
export function readableIdentities({ fingerprint }: Pick<Store, 'fingerprint'>): IdentityReader {
  return createIdentityReader({ fingerprint, shape: null, known: [] });
}
