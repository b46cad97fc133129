/** How callers of webhooks prove that they know a secret, and that they say it now. */
import { createHmac } from 'node:crypto';
import type { HookRow } from '../store/hooks.ts';
import { isSameText } from './secret.ts';

/** The ways of signing: HubSpot's own (version 3), and a plain one for everybody else. */
export type SignatureKind = NonNullable<HookRow['signature']>;

/** How old a signed call may be; those of a clock that runs ahead are as wrong (crm-facts B5). */
export const MAX_SIGNATURE_AGE_MS = 300_000;

/** What is signed. */
export interface SignedCall {
  method: string;
  /** The address as the caller knows it: scheme, host, path and query. */
  url: string;
  body: Uint8Array;
  /** A header's value, by its name in small letters. */
  header(name: string): string | undefined;
}

export type SignatureProblem = 'signature_missing' | 'signature_invalid' | 'signature_too_old';

/** What is wrong with the signature of a call; null if it is good. */
export function findSignatureProblem(
  kind: SignatureKind,
  secret: string,
  call: SignedCall,
  now: number,
): SignatureProblem | null {
  const { timestampHeader, timestampUnitMs, signatureHeader, sign } = SCHEMES[kind];
  const timestamp = call.header(timestampHeader);
  const signature = call.header(signatureHeader);
  if (timestamp === undefined || signature === undefined) return 'signature_missing';
  // The signature first: whoever cannot sign learns nothing about our clock.
  if (!isSameText(signature, sign(secret, call, timestamp))) return 'signature_invalid';
  const ageMs = Math.abs(now - Number(timestamp) * timestampUnitMs);
  return ageMs <= MAX_SIGNATURE_AGE_MS ? null : 'signature_too_old';
}

/** The header that holds the signature: two calls with the same one are the same call. */
export function signatureOf(kind: SignatureKind, call: SignedCall): string {
  return call.header(SCHEMES[kind].signatureHeader) ?? '';
}

interface Scheme {
  timestampHeader: string;
  /** Milliseconds in one unit of the timestamp. */
  timestampUnitMs: number;
  signatureHeader: string;
  sign(secret: string, call: SignedCall, timestamp: string): string;
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
    sign: (secret, { url, body }, timestamp) => {
      const hmac = createHmac('sha256', secret).update(`${timestamp}.${url}.`).update(body);
      return `sha256=${hmac.digest('hex')}`;
    },
  },
};

/** HubSpot signs these characters as they are, all others as they stand in the address. */
function decodeForHubspot(url: string): string {
  return url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent);
}
