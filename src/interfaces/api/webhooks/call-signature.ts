/**
 * How calls to webhook addresses are signed: HubSpot's own methods (versions 1 to 3), and a simple one for
 * all other callers.
 */
import { createHash, createHmac } from 'node:crypto';
import type { SignatureKind } from '../../../clients/hook-address.ts';
import { isSameText } from '../request/secret.ts';

/** The maximum age of a signed call. A call from a clock that is ahead by as much is refused too (crm-facts B5). */
export const MAX_SIGNATURE_AGE_MS = 300_000;

/** The signed parts of a call. */
export interface SignedCall {
  method: string;
  /** The address as the caller knows it: scheme, host, path and query. */
  url: string;
  body: Uint8Array;
  /** A header's value, by its name in lower case. */
  header(name: string): string | undefined;
}

export type SignatureProblem = 'signature_missing' | 'signature_invalid' | 'signature_too_old';

/** Returns the problem with a call's signature; null if it is valid. */
export function findSignatureProblem(
  kind: SignatureKind,
  secret: string,
  call: SignedCall,
  now: number,
): SignatureProblem | null {
  if (isUntimed(kind, call)) return findUntimedProblem(secret, call);
  const { timestampHeader, timestampUnitMs, signatureHeader, sign } = SCHEMES[kind];
  const timestamp = call.header(timestampHeader);
  const signature = call.header(signatureHeader);
  if (timestamp === undefined || signature === undefined) return 'signature_missing';
  // The signature is checked first, so a caller that cannot sign learns nothing about our clock.
  const expected = sign(secret, call, timestamp, signature);
  if (expected === null || !isSameText(signature, expected)) return 'signature_invalid';
  const ageMs = Math.abs(now - Number(timestamp) * timestampUnitMs);
  return ageMs <= MAX_SIGNATURE_AGE_MS ? null : 'signature_too_old';
}

/**
 * Returns the header with the signature. Two calls with the same signature are the same call. Returns null if the
 * signature contains no time, because a workflow's calls with equal bodies have equal signatures.
 */
export function getSignature(kind: SignatureKind, call: SignedCall): string | null {
  return isUntimed(kind, call) ? null : (call.header(SCHEMES[kind].signatureHeader) ?? '');
}

const UNTIMED_HEADER = 'x-hubspot-signature';

/**
 * HubSpot's first two versions, which have no time. Apps send the first together with the third, workflows send the
 * second. The third counts whenever it is present.
 */
function isUntimed(kind: SignatureKind, call: SignedCall): boolean {
  const isNewer = call.header(SCHEMES.hubspot.signatureHeader) !== undefined;
  return kind === 'hubspot' && !isNewer && call.header(UNTIMED_HEADER) !== undefined;
}

/**
 * Checks a signature without a time. Such a call can be replayed, but then the same contacts are only checked again.
 */
function findUntimedProblem(secret: string, call: SignedCall): SignatureProblem | null {
  const isSecond = call.header('x-hubspot-signature-version') === 'v2';
  const target = isSecond ? call.method + call.url : '';
  const expected = createHash('sha256')
    .update(secret + target)
    .update(call.body)
    .digest('hex');
  return isSameText(call.header(UNTIMED_HEADER) ?? '', expected) ? null : 'signature_invalid';
}

/** Returns true for a call whose signature the next version of the program will refuse. */
export function isSignedTheOldWay(kind: SignatureKind, call: SignedCall): boolean {
  return kind === 'hmac' && (getSignature(kind, call) ?? '').startsWith(FIRST_VERSION);
}

interface Scheme {
  timestampHeader: string;
  /** Milliseconds in one unit of the timestamp. */
  timestampUnitMs: number;
  signatureHeader: string;
  /**
   * Returns the expected signature in the version of the `given` signature; null if the call cannot be signed in that
   * version.
   */
  sign(secret: string, call: SignedCall, timestamp: string, given: string): string | null;
}

const SCHEMES: Readonly<Record<SignatureKind, Scheme>> = {
  hubspot: {
    timestampHeader: 'x-hubspot-request-timestamp',
    timestampUnitMs: 1,
    signatureHeader: 'x-hubspot-signature-v3',
    sign: (secret, { method, url, body }, timestamp) =>
      createHmac('sha256', secret)
        .update(method + decodeForHubspot(url))
        .update(body)
        .update(timestamp)
        .digest('base64'),
  },
  hmac: {
    timestampHeader: 'x-donor-sync-timestamp',
    timestampUnitMs: 1_000,
    signatureHeader: 'x-donor-sync-signature',
    sign(secret, call, timestamp, given) {
      const signVersion = given.startsWith(FIRST_VERSION) ? signFirstVersion : signSecondVersion;
      return signVersion(secret, call, timestamp);
    },
  },
};

/** The prefixes of signatures, by version. */
const FIRST_VERSION = 'sha256=';
const SECOND_VERSION = 'v2=';

/** Neither a time nor an address can contain a line feed, so each text can be split in only one way. */
function signSecondVersion(secret: string, { url, body }: SignedCall, timestamp: string): string {
  const hmac = createHmac('sha256', secret).update(`v2\n${timestamp}\n${url}\n`).update(body);
  return SECOND_VERSION + hmac.digest('hex');
}

/**
 * Still accepted in this version of the program, but not in the next. A dot separates the parts, so a call
 * with a dot in its query could be mistaken for a call whose body contains that part. Such calls are refused.
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

/** HubSpot signs these characters decoded, and all others as they are in the address. */
function decodeForHubspot(url: string): string {
  return url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent);
}
