import { z } from 'zod';

/**
 * Sends requests to the stand-in's controls (`/_sandbox`), which only tests use. They are not part of the service's
 * API.
 */
export interface ServiceControl {
  /** Returns the first people in the contact list, in the form in which a CRM stores them. */
  people(count: number): Promise<z.infer<typeof peopleSchema>['people']>;
  spent(): Promise<number>;
  /** Returns the charges minus the refunds in all buckets. */
  spentInAll(): Promise<number>;
  /** Returns the number of requests by method and path (without ids). */
  requests(): Promise<z.infer<typeof requestsSchema>['requests']>;
  putFaults(rules: unknown): Promise<void>;
  issueKey(options: Record<string, unknown>): Promise<string>;
}

export function controlService({ rootUrl }: { rootUrl: string }): ServiceControl {
  return {
    async people(count) {
      const reply = await send('GET', `/_sandbox/people?limit=${count}`);
      return peopleSchema.parse(reply).people;
    },
    spent: () => sumOf('?bucket=enhancements'),
    spentInAll: () => sumOf(''),
    async requests() {
      return requestsSchema.parse(await send('GET', '/_sandbox/requests')).requests;
    },
    async putFaults(rules) {
      await send('PUT', '/_sandbox/faults', rules);
    },
    async issueKey(options) {
      return keySchema.parse(await send('POST', '/_sandbox/keys', options)).apiKey;
    },
  };

  async function sumOf(query: string): Promise<number> {
    const { ledger } = ledgerSchema.parse(await send('GET', `/_sandbox/ledger${query}`));
    return ledger.reduce((sum, { amount }) => sum + amount, 0);
  }

  async function send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(rootUrl + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }
}

const peopleSchema = z.object({
  people: z.array(
    z.object({
      id: z.string(),
      firstName: z.string().nullable(),
      lastName: z.string().nullable(),
      addresses: z.array(z.string()),
      employers: z.array(z.string()),
    }),
  ),
});

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

const requestsSchema = z.object({
  requests: z.array(
    z.object({
      method: z.string(),
      path: z.string(),
      status: z.number().nullable(),
      at: z.string(),
    }),
  ),
});

const keySchema = z.object({ apiKey: z.string() });
