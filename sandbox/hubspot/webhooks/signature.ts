/** Signs requests like HubSpot, with all versions of the signature that HubSpot uses. */

import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  method: string;
  url: string;
  body: string;
  /** The time of the request (milliseconds since 1970). */
  timestampMs: number;
}

/** Returns the headers by which a receiver verifies the sender of a request. */
export function signatureHeaders(
  clientSecret: string,
  request: SignedRequest,
): Record<string, string> {
  return {
    'X-HubSpot-Signature': createHash('sha256')
      .update(clientSecret + request.body)
      .digest('hex'),
    'X-HubSpot-Signature-Version': 'v1',
    'X-HubSpot-Signature-v3': signatureV3(clientSecret, request),
    'X-HubSpot-Request-Timestamp': String(request.timestampMs),
  };
}

function signatureV3(
  clientSecret: string,
  { method, url, body, timestampMs }: SignedRequest,
): string {
  return createHmac('sha256', clientSecret)
    .update(`${method}${decodeUrl(url)}${body}${timestampMs}`)
    .digest('base64');
}

/** Decodes certain characters before the address is signed. All other characters stay unchanged. */
function decodeUrl(url: string): string {
  return url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent);
}
