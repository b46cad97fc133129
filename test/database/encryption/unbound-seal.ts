import { CompactEncrypt } from 'jose';
import type { KeyRing } from '../../../src/database/encryption/key-ring.ts';

/** A text in a form that is no longer known and not bound to a row, made by another library. */
export function sealUnbound({ current }: KeyRing, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.kid })
    .encrypt(current.secret);
}
