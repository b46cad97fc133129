import { CompactEncrypt } from 'jose';
import type { KeyRing } from '../../../src/database/encryption/key-ring.ts';

/** Encrypts a string with a different library, in an unsupported form that is not bound to a row. */
export function sealUnbound({ current }: KeyRing, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.kid })
    .encrypt(current.secret);
}
