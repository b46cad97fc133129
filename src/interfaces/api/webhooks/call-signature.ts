/**
 * Verifies the signatures of webhook calls. A CRM's connector defines the CRM's own methods. Callers that are not CRMs
 * use a simple method.
 */
import { createHmac } from 'node:crypto';
import { findWebhooks } from '../../../../connectors/index.ts';
import type { SignatureVersion, SignedCall } from '../../../../connectors/webhooks.ts';
import type { SignatureKind } from '../../../clients/hook-address.ts';
import { isSameText } from '../request/secret.ts';

/**
 * The maximum age of a signed call. A call from the future is refused too, because the caller's clock is fast
 * (crm-facts B5).
 */
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
  // Checks the signature before the time, so that an unsigned caller learns nothing about donor-sync's clock.
  const expected = sign(secret, call, time, signature);
  if (expected === null || !isSameText(signature, expected)) return 'signature_invalid';
  if (timestamp === null) return null;
  const ageMs = Math.abs(now - Number(time) * timestamp.unitMs);
  return ageMs <= MAX_SIGNATURE_AGE_MS ? null : 'signature_too_old';
}

/**
 * Returns a call's signature, because equal signatures mean the same call. Returns null if the signature contains no
 * time, because equal workflow calls then have equal signatures.
 */
export function getSignature(kind: SignatureKind, call: SignedCall): string | null {
  const { header, timestamp } = chooseVersion(kind, call);
  return timestamp === null ? null : (call.header(header) ?? '');
}

/**
 * Chooses the safest version among the call's signatures. If the call has no known signature, chooses the safest
 * version of all.
 */
function chooseVersion(kind: SignatureKind, call: SignedCall): SignatureVersion {
  const versions = kind === PLAIN ? PLAIN_VERSIONS : findWebhooks(kind)?.signature?.versions;
  // If the connector that defines the method is missing, donor-sync cannot verify any signature, so it accepts no call.
  if (versions === undefined) throw new Error(`no connector declares the signature "${kind}"`);
  return versions.find(({ header }) => call.header(header) !== undefined) ?? versions[0];
}

/** True if the next version of donor-sync will refuse the call's signature. */
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
 * Creates a signature of the second version. Neither the time nor the address can contain a line feed, so the signed
 * text can be split in only one way.
 */
function signSecondVersion(secret: string, { url, body }: SignedCall, timestamp: string): string {
  const hmac = createHmac('sha256', secret).update(`v2\n${timestamp}\n${url}\n`).update(body);
  return SECOND_VERSION + hmac.digest('hex');
}

/**
 * Creates a signature of the first version. This release still accepts it, but the next release will refuse it. A dot
 * separates the parts of a signed text in the first version. Therefore, a call with a dot in its query could look like
 * a call with a different body. A call with a dot in its query is refused.
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
