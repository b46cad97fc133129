import { z } from 'zod';

const peopleSchema = z.object({
  people: z.array(z.object({ id: z.string(), employers: z.array(z.string()) })),
});

const requestsSchema = z.object({
  requests: z.array(
    z.object({ method: z.string(), path: z.string(), status: z.number().nullable() }),
  ),
});

/** Returns functions for the test requests that every CRM sandbox accepts, below its root URL. */
export function sandboxControl(rootUrl: string) {
  return {
    control,
    /** Returns the people that the sandbox started with, before any errors were added to their data. */
    people: async () => peopleSchema.parse(await control('GET', 'people?limit=10000')).people,
    /** Returns the requests, each with its status. */
    requests: async () => requestsSchema.parse(await control('GET', 'requests')).requests,
  };

  function control(method: string, path: string, body?: unknown): Promise<unknown> {
    return sendJson(method, `${rootUrl}/_sandbox/${path}`, body);
  }
}

/** Returns the body of a successful response, or null if it is empty. */
export async function sendJson(
  method: string,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was refused: ${text}`);
  return text === '' ? null : JSON.parse(text);
}
