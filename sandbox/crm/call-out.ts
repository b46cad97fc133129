/** A request that a CRM makes because an administrator set it up to: one attempt, to this machine alone. */

import { isOnThisMachine } from './this-machine.ts';

/** What is sent. */
export interface CallOut {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of it; `status` is null where there was no answer. */
export interface CalledOut extends CallOut {
  status: number | null;
  answer: string;
}

/** Posts, and follows no redirect; an error if the address is not one of this machine. */
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
