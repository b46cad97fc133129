/** Sends test requests to any sandbox. */

import { z } from 'zod';

/** A sandbox's response. `body` is a string if it is not JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The content of a request. A string is sent unchanged. Any other value is sent as JSON. */
export interface Message {
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request and returns its response. */
export async function send(
  url: string,
  method: string,
  { body, headers = {} }: Message = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return toAnswer(response);
}

/** Sends a form and does not follow redirects. */
export async function postForm(url: string, form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(form);
  return toAnswer(await fetch(url, { method: 'POST', body, redirect: 'manual' }));
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

/** A sandbox with its own controls. */
interface Controlled {
  rootUrl: string;
}

/** Sends a request to the sandbox's own controls. */
export function control(
  { rootUrl }: Controlled,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return send(`${rootUrl}/_sandbox${path}`, method, { body });
}

/** Makes a manual edit in a CRM. Throws an error if the CRM refused the edit. */
export async function edit(crm: Controlled, order: unknown): Promise<string> {
  const { status, body } = await control(crm, 'POST', '/edit', order);
  if (status !== 200) throw new Error(`The edit was refused: ${JSON.stringify(body)}`);
  return z.object({ id: z.string() }).parse(body).id;
}
