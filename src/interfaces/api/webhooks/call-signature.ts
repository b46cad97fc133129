/** A CRM's connector declares its own methods. All other callers use a simple one. */
import { createHmac } from 'node:crypto';
import { findWebhooks } from '../../../../connectors/index.ts';
import type { SignatureVersion, SignedCall } from '../../../../connectors/webhooks.ts';
import type { SignatureKind } from '../../../clients/hook-address.ts';
import { isSameText } from '../request/secret.ts';

/** The maximum age of a signed call. A fast clock's call is refused too (crm-facts B5). */
export const MAX_SIGNATURE_AGE_MS = 300_000;

export type SignatureProblem = 'signature_missing' | 'signature_invalid' | 'signature_too_old';

/** Returns the problem with a call's signature, or null if it is valid. */
export function findSignatureProblem(
  kind: SignatureKind,
  secret: string,
  call: SignedCall,
  now: number,
): SignatureProblem | null {
  return checkSignature(chooseVersion(kind, call), secret, call, now);
}

export function checkSignature(
  { header, timestamp, sign }: SignatureVersion,
  secret: string,
  call: SignedCall,
  now: number,
): SignatureProblem | null {
  const signature = call.header(header);
  const time = timestamp === null ? '' : call.header(timestamp.header);
  if (time === undefined || signature === undefined) return 'signature_missing';
  // Checked first, so unsigned callers learn nothing about our clock.
  const expected = sign(secret, call, time, signature);
  if (expected === null || !isSameText(signature, expected)) return 'signature_invalid';
  if (timestamp === null) return null;
  const ageMs = Math.abs(now - Number(time) * timestamp.unitMs);
  return ageMs <= MAX_SIGNATURE_AGE_MS ? null : 'signature_too_old';
}

/** Equal signatures mean the same call. Null without a time, because equal workflow calls have equal signatures. */
export function getSignature(kind: SignatureKind, call: SignedCall): string | null {
  const { header, timestamp } = chooseVersion(kind, call);
  return timestamp === null ? null : (call.header(header) ?? '');
}

/** Chooses the safest version of the call's signatures. Without a known signature, the safest of all. */
function chooseVersion(kind: SignatureKind, call: SignedCall): SignatureVersion {
  const versions = kind === PLAIN ? PLAIN_VERSIONS : findWebhooks(kind)?.signature?.versions;
  // Without the connector that declared it, no signature can be checked, so no call is accepted.
  if (versions === undefined) throw new Error(`no connector declares the signature "${kind}"`);
  return versions.find(({ header }) => call.header(header) !== undefined) ?? versions[0];
}

/** Returns true for a call whose signature the next version of the program will refuse. */
export function isSignedTheOldWay(kind: SignatureKind, call: SignedCall): boolean {
  return kind === PLAIN && (getSignature(kind, call) ?? '').startsWith(FIRST_VERSION);
}

/** The name of the simple method. No CRM has this name. */
const PLAIN = 'hmac';

const PLAIN_VERSIONS: readonly [SignatureVersion] = [
  {
    header: 'x-donor-sync-signature',
    timestamp: { header: 'x-donor-sync-timestamp', unitMs: 1_000 },
    sign(secret, call, timestamp, given) {
      const signVersion = given.startsWith(FIRST_VERSION) ? signFirstVersion : signSecondVersion;
      return signVersion(secret, call, timestamp);
    },
  },
];

/** The prefixes of signatures, by version. */
const FIRST_VERSION = 'sha256=';
const SECOND_VERSION = 'v2=';

/**
 * Signs with the second version. Neither a time nor an address can contain a line feed, so each text can be split in
 * only one way.
 */
function signSecondVersion(secret: string, { url, body }: SignedCall, timestamp: string): string {
  const hmac = createHmac('sha256', secret).update(`v2\n${timestamp}\n${url}\n`).update(body);
  return SECOND_VERSION + hmac.digest('hex');
}

/**
 * Returns the first version of the signature. This release still accepts it, and the next release will refuse it. A dot
 * separates the parts. A call with a dot in its query could therefore be mistaken for a call whose body contains that
 * part. Such calls are refused.
 */
function signFirstVersion(
  secret: string,
  { url, body }: SignedCall,
  timestamp: string,
): string | null {
  const query = url.split('?').slice(1).join('?');
  if (query.includes('.')) return null;
  const hmac = createHmac('sha256', secret).update(`${timestamp}.${url}.`).update(body);
  return FIRST_VERSION + hmac.digest('hex');
}
