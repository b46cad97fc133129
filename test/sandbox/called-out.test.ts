import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { listen } from '../../testbed/serving.ts';
import { control } from '../testbed/asking.ts';
import { contactIds, startAccount } from './hubspot/account.ts';
import { startOrg } from './salesforce/org.ts';

/** Starts a receiver that records every request and always returns the same response. */
async function startReceiver(answer = '') {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(200).end(answer);
  });
  const url = `${await listen(server, '127.0.0.1', 0)}/hooks?of=a%2Fb`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, received };
}

describe('a workflow of HubSpot that sends a webhook', () => {
  it('signs in the second version, over method, address and body', async () => {
    const { url, received } = await startReceiver();
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const order = { url, id, body: { who: 'hs_object_id', first: 'firstname' } };
    expect((await control(account, 'POST', '/webhooks/workflow', order)).status).toBe(201);
    const [call] = received;
    const signed = `${account.clientSecret}POST${url}${call?.body}`;
    expect(call?.headers).toMatchObject({
      'x-hubspot-signature': createHash('sha256').update(signed).digest('hex'),
      'x-hubspot-signature-version': 'v2',
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({ who: Number(id), first: expect.any(String) });
  });

  it('sends all properties in the older shape of a contact', async () => {
    const { url, received } = await startReceiver();
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await control(account, 'POST', '/webhooks/workflow', {
      ...{ url, id, body: 'all', signature: 'none' },
    });
    expect(received[0]?.headers).not.toHaveProperty('x-hubspot-signature');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      vid: Number(id),
      'portal-id': account.portalId,
      properties: { lastname: { value: expect.any(String) } },
    });
  });
});

describe('an Outbound Message of Salesforce', () => {
  const sentSchema = z.object({ isAcknowledged: z.boolean() });
  const idsSchema = z.object({ people: z.array(z.object({ id: z.string() })) });

  async function sendTo(url: string, count: number) {
    const org = await startOrg();
    const { people } = idsSchema.parse((await control(org, 'GET', '/people?limit=3')).body);
    const ids = people.slice(0, count).map(({ id }) => id);
    const order = { url, ids, fields: ['LastName'] };
    const { body } = await control(org, 'POST', '/outbound-message', order);
    return { ids, ...sentSchema.parse(body) };
  }

  it('has a notification for each record, with its id and the chosen fields', async () => {
    const { url, received } = await startReceiver('thanks');
    const { ids, isAcknowledged } = await sendTo(url, 3);
    expect(isAcknowledged).toBe(false);
    const { headers, body = '' } = received[0] ?? {};
    expect(headers).toMatchObject({ 'content-type': 'text/xml; charset=utf-8' });
    expect([...body.matchAll(/<sf:Id>(\w+)<\/sf:Id>/g)].map(([, id]) => id)).toEqual(ids);
    expect(body.match(/<sf:LastName>[^<]+<\/sf:LastName>/g)).toHaveLength(3);
  });

  it('counts as taken by an acknowledgement alone', async () => {
    const { url } = await startReceiver(
      '<notificationsResponse><Ack>true</Ack></notificationsResponse>',
    );
    expect((await sendTo(url, 1)).isAcknowledged).toBe(true);
  });

  it('goes to this machine alone', async () => {
    const org = await startOrg();
    const order = { url: 'https://example.org/hooks', ids: ['003'] };
    const { status } = await control(org, 'POST', '/outbound-message', order);
    expect(status).toBe(422);
  });
});
