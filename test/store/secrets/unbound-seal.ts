import { CompactEncrypt } from 'jose';
import type { KeyRing } from '../../../src/store/secrets/key-ring.ts';

/** A text as versions sealed it that did not bind it to its row; made by another library. */
export function sealUnbound({ current }: KeyRing, text: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.kid })
    .encrypt(current.secret);
}
