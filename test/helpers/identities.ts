import { createIdentityReader, type IdentityReader } from '../../src/identity/identity-reader.ts';
import type { Store } from '../../src/store.ts';

/** Reads identities of a CRM in which everything can be read. */
export function readableIdentities({ fingerprint }: Pick<Store, 'fingerprint'>): IdentityReader {
  return createIdentityReader({ fingerprint, shape: null, known: [] });
}
