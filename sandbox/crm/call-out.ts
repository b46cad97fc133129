/**
 * Sends a request that an administrator configured in a CRM, in a single attempt. The function accepts only addresses
 * on this machine.
 */

import { isOnThisMachine } from './this-machine.ts';

export interface CallOut {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The request and its outcome. `status` is null if the stand-in received no response. */
export interface CalledOut extends CallOut {
  status: number | null;
  answer: string;
}

/** Sends a POST request, and does not follow redirects. Throws a RangeError if the address is not on this machine. */
export async function callOut(call: CallOut, timeoutMs: number): Promise<CalledOut> {
  if (!isOnThisMachine(call.url)) throw new RangeError(`${call.url} is not on this machine.`);
  const { url, headers, body } = call;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const request = { method: 'POST', redirect: 'manual', headers, body, signal } as const;
    const response = await fetch(url, request);
    return { ...call, status: response.status, answer: await response.text() };
  } catch (error) {
    return { ...call, status: null, answer: String(error) };
  }
}
