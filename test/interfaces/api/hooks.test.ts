import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signatureHeaders } from '../../../sandbox/hubspot/webhooks/signature.ts';
import type { HookSigning } from '../../../src/clients/hook-address.ts';
import { revokeHook } from '../../../src/clients/statements/hooks.ts';
import { beginErasure } from '../../../src/privacy/statements/erasures.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { findRunById } from '../../../src/sync/statements/runs.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const acceptedSchema = z.strictObject({ accepted: z.literal(true), runId: z.string().nullable() });
const pageSchema = z.object({ runs: z.array(z.looseObject({ id: z.string() })) });

const PUBLIC_URL = 'https://sync.example.org';
const MINUTE_MS = 60_000;

function post(here: HttpWorld, path: string, headers: Record<string, string> = {}, body = '') {
  return here.request(path, { method: 'POST', headers, body });
}

async function statusOfBareCall(address: string): Promise<number | undefined> {
  const call = request(address, { method: 'POST' });
  call.removeHeader('transfer-encoding');
  call.useChunkedEncodingByDefault = false;
  call.end();
  const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(call, 'response'));
  answer.resume();
  return answer.statusCode;
}

async function waiting({ application }: HttpWorld): Promise<(string | null)[]> {
  const rows = await listRunRequests(application.store.reader);
  return rows.map(({ contact }) => contact || null);
}

describe('POST /hooks/:integration/:token', () => {
  it('asks for a run, of all or of one contact, whatever else the body is', async () => {
    const here = await open({ isIdle: true });
    const path = await here.addHook();
    const all = await post(here, path, { 'content-type': 'text/xml' }, '<what/>');
    expect(all.status).toBe(202);
    expect(all.read(acceptedSchema).runId).not.toBeNull();
    expect((await post(here, `${path}?contact=003%20A`)).status).toBe(202);
    expect(await waiting(here)).toEqual([null, '003 A']);
  });

  it('takes bodies that do not tell their size, and calls without any', async () => {
    const here = await open({ isIdle: true });
    const address = here.url + (await here.addHook());
    const headers = { 'content-type': 'application/json' };
    const streamed = (text: string) =>
      fetch(address, { method: 'POST', headers, body: new Blob([text]).stream(), duplex: 'half' });
    expect((await streamed('{"contactId": "7"}')).status).toBe(202);
    expect(await waiting(here)).toEqual(['7']);
    expect((await streamed('x'.repeat(1_048_577))).status).toBe(413);
    // `curl -X POST ADDRESS` also sends a call without a body or a content length.
    expect(await statusOfBareCall(address)).toBe(202);
    expect(await waiting(here)).toEqual(['7', null]);
  });

  it('runs what was asked for', async () => {
    const here = await open();
    await here.addPeople(2);
    const { runId } = (await post(here, await here.addHook())).read(acceptedSchema);
    await here.untilEnded(runId ?? '');
    const row = await findRunById(here.application.store.reader, runId ?? '');
    expect(row).toMatchObject({ trigger: 'webhook', status: 'succeeded', readCount: 2 });
  });

  it('knows no wrong, old or revoked address', async () => {
    const here = await open({ isIdle: true });
    const old = await here.addHook();
    const path = await here.addHook();
    const wrong = [old, path.slice(0, -1), path.replace('riverside', 'unknown')];
    for (const address of wrong) {
      const answer = await post(here, address);
      expect([answer.status, answer.read(errorSchema).error.code]).toEqual([404, 'hook_unknown']);
    }
    expect((await post(here, path)).status).toBe(202);
    await here.application.store.act((trx) => revokeHook(trx, 'riverside'));
    expect((await post(here, path)).status).toBe(404);
  });

  it('makes callers who guess an address wait, and still accepts the right address', async () => {
    const here = await open({ isIdle: true });
    const path = await here.addHook();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      statuses.push((await post(here, `/hooks/riverside/${attempt}`)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(404), 429]);
    expect((await post(here, path)).status).toBe(202);
    expect((await here.request('/v1/runs', { token: 'dst_wrong' })).status).toBe(401);
  });

  it('keeps nothing of a call whose address names an erased contact', async () => {
    const here = await open({ isIdle: true });
    const path = await here.addHook();
    const { application } = here;
    const taken = await application.store.leases.acquire('riverside', 'forget', () => false);
    if (!taken.acquired) throw new Error('The lease is taken');
    await beginErasure(application.store, taken.lease, {
      crmId: 'erased',
      person: null,
      everywhere: false,
      donors: [],
      state: 'blocked',
      receipt: '{}',
    });
    await application.store.leases.release(taken.lease);
    const answer = await post(here, `${path}?contact=erased`);
    expect([answer.status, answer.read(acceptedSchema).runId]).toEqual([202, null]);
    expect(await waiting(here)).toEqual([]);
  });

  it('refuses contact IDs that cannot be valid', async () => {
    const here = await open({ isIdle: true });
    const path = await here.addHook();
    for (const contact of ['', '%00', 'x'.repeat(256)]) {
      expect((await post(here, `${path}?contact=${contact}`)).status, contact).toBe(422);
    }
  });

  it('starts at most two runs for a burst of calls', async () => {
    const here = await open();
    await here.addPeople(3);
    const path = await here.addHook();
    const burst = Promise.withResolvers<void>();
    // The run is in progress during the whole burst of calls.
    here.crm.before(() => burst.promise);
    const runIds = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(here, path)));
      for (const answer of answers) {
        expect(answer.status).toBe(202);
        runIds.add(answer.read(acceptedSchema).runId ?? '');
      }
    }
    expect(runIds.size).toBeLessThanOrEqual(2);
    burst.resolve();
    for (const runId of runIds) await here.untilEnded(runId);
    const { runs } = (await here.request('/v1/runs')).read(pageSchema);
    expect(runs.map(({ id }) => id).sort()).toEqual([...runIds].sort());
    expect(await waiting(here)).toEqual([]);
  });
});

describe('a webhook address with HubSpot signatures', () => {
  const signing: HookSigning = { kind: 'hubspot', secret: 'app-secret' };
  const body = '[{"eventId":1,"objectId":501,"subscriptionType":"contact.creation"}]';

  async function openSigned(): Promise<{ here: HttpWorld; path: string }> {
    const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
    return { here, path: await here.addHook(signing) };
  }

  function sign(path: string, timestampMs = Date.now(), secret = signing.secret) {
    return signatureHeaders(secret, { method: 'POST', url: PUBLIC_URL + path, body, timestampMs });
  }

  it('takes what HubSpot has signed, with the characters that it decodes', async () => {
    const { here, path } = await openSigned();
    const target = `${path}?contact=a%3Ab%2Fc%20%C3%A9`;
    expect((await post(here, target, sign(target), body)).status).toBe(202);
    expect(await waiting(here)).toEqual(['a:b/c é']);
  });

  it('takes a replayed call, and does nothing', async () => {
    const { here, path } = await openSigned();
    const headers = sign(path);
    expect((await post(here, path, headers, body)).read(acceptedSchema).runId).not.toBeNull();
    const [request] = await listRunRequests(here.application.store.reader);
    const again = await post(here, path, headers, body);
    expect(again.status).toBe(202);
    expect(again.read(acceptedSchema).runId).toBeNull();
    expect(await listRunRequests(here.application.store.reader)).toEqual([request]);
  });

  it('takes a call again that could not be put on record, and then no more', async () => {
    const { here, path } = await openSigned();
    const headers = sign(path);
    const { store } = here.application;
    const { actingAs } = store;
    const act = () => Promise.reject(new Error('the database is away'));
    store.actingAs = (actor) => ({ ...actingAs(actor), act });
    expect((await post(here, path, headers, body)).status).toBe(500);
    store.actingAs = actingAs;
    expect((await post(here, path, headers, body)).read(acceptedSchema).runId).not.toBeNull();
    expect((await post(here, path, headers, body)).read(acceptedSchema).runId).toBeNull();
  });

  it('takes the versions that hold no time, for the call that they are of', async () => {
    const { here, path } = await openSigned();
    const url = PUBLIC_URL + path;
    const hash = (text: string) =>
      createHash('sha256')
        .update(signing.secret + text)
        .digest('hex');
    const headers = (version: string, signature: string) => ({
      'X-HubSpot-Signature': signature,
      'X-HubSpot-Signature-Version': version,
    });
    const first = headers('v1', hash(body));
    const second = headers('v2', hash(`POST${url}${body}`));
    for (const good of [first, second])
      expect((await post(here, path, good, body)).status).toBe(202);
    const bad = [
      headers('v1', second['X-HubSpot-Signature']),
      headers('v2', first['X-HubSpot-Signature']),
      headers('v2', hash(`POST${url}?contact=1${body}`)),
      { ...second, 'X-HubSpot-Signature-v3': 'wrong', 'X-HubSpot-Request-Timestamp': '1' },
    ];
    for (const each of bad) expect((await post(here, path, each, body)).status).toBe(401);
    expect((await post(here, path, second, `${body} `)).status).toBe(401);
  });

  it('refuses unsigned, forged and stale calls', async () => {
    const { here, path } = await openSigned();
    const cases: [string, Record<string, string>, string][] = [
      ['signature_missing', {}, body],
      ['signature_invalid', sign(path, Date.now(), 'another secret'), body],
      ['signature_invalid', sign(path), `${body} `],
      ['signature_invalid', sign(`${path}?contact=1`), body],
      ['signature_invalid', { ...sign(path), 'X-HubSpot-Request-Timestamp': '1' }, body],
      ['signature_too_old', sign(path, Date.now() - 6 * MINUTE_MS), body],
      ['signature_too_old', sign(path, Date.now() + 6 * MINUTE_MS), body],
    ];
    for (const [code, headers, sent] of cases) {
      const answer = await post(here, path, headers, sent);
      expect([answer.status, answer.read(errorSchema).error.code]).toEqual([401, code]);
    }
    expect(await waiting(here)).toEqual([]);
  });
});

describe('a webhook address with plain signatures', () => {
  const signing: HookSigning = { kind: 'hmac', secret: 'shared' };

  function nowSeconds(): number {
    return Math.floor(Date.now() / 1_000);
  }

  function digestOf(text: string): string {
    return createHmac('sha256', signing.secret).update(text).digest('hex');
  }

  function sign(path: string, body: string, seconds = nowSeconds()) {
    return {
      'x-donor-sync-timestamp': String(seconds),
      'x-donor-sync-signature': `v2=${digestOf(`v2\n${seconds}\n${PUBLIC_URL}${path}\n${body}`)}`,
    };
  }

  /** Creates a signature in the first version's form. */
  function signTheOldWay(path: string, body: string, seconds = nowSeconds()) {
    return {
      'x-donor-sync-timestamp': String(seconds),
      'x-donor-sync-signature': `sha256=${digestOf(`${seconds}.${PUBLIC_URL}${path}.${body}`)}`,
    };
  }

  it('takes what is signed now, once', async () => {
    const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
    const path = await here.addHook(signing);
    const headers = sign(path, 'changed');
    const first = await post(here, path, headers, 'changed');
    expect(first.read(acceptedSchema).runId).not.toBeNull();
    const second = await post(here, path, headers, 'changed');
    expect(second.read(acceptedSchema).runId).toBeNull();
  });

  it('refuses what is unsigned, forged or stale, or signed for the address before', async () => {
    const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
    const before = await here.addHook(signing);
    const path = await here.addHook(signing);
    const old = Math.floor((Date.now() - 6 * MINUTE_MS) / 1_000);
    const codes: string[] = [];
    for (const headers of [{}, sign(path, 'other'), sign(before, ''), sign(path, '', old)]) {
      const answer = await post(here, path, headers);
      expect(answer.status).toBe(401);
      codes.push(answer.read(errorSchema).error.code);
    }
    expect(codes).toEqual([
      ...['signature_missing', 'signature_invalid', 'signature_invalid', 'signature_too_old'],
    ]);
  });

  /**
   * The calls of a pair contain the same characters, but split them differently. The calls therefore have different
   * meanings.
   */
  const AMBIGUOUS = [
    ['?contact=1', 'a.b', '?contact=1.a', 'b'],
    ['?contact=1.a', 'b', '?contact=1', 'a.b'],
    ['?contact=1', '\nx', '?contact=1%0A', 'x'],
    ['', '?contact=2.', '?contact=2', ''],
  ] as const;

  it.each(AMBIGUOUS)(
    'takes the signature of %j %j for no other call, such as %j %j',
    async (query, body, otherQuery, otherBody) => {
      const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
      const path = await here.addHook(signing);
      const headers = sign(path + query, body);
      expect((await post(here, path + otherQuery, headers, otherBody)).status).toBe(401);
      expect(await waiting(here)).toEqual([]);
      expect((await post(here, path + query, headers, body)).status).toBe(202);
    },
  );

  it('takes no signature of the first version where a part of the body may have become the query', async () => {
    const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
    const path = await here.addHook(signing);
    const headers = signTheOldWay(`${path}?contact=1`, 'a.b');
    expect((await post(here, `${path}?contact=1.a`, headers, 'b')).status).toBe(401);
    expect(await waiting(here)).toEqual([]);
    expect((await post(here, `${path}?contact=1`, headers, 'a.b')).status).toBe(202);
  });

  it('takes the first version once more, with one warning for each address', async () => {
    const here = await open({ isIdle: true, publicUrl: PUBLIC_URL });
    const path = await here.addHook(signing);
    const warnings = () => here.logLines.filter((line) => line.includes('"level":40'));
    expect((await post(here, path, sign(path, 'new'), 'new')).status).toBe(202);
    expect(warnings()).toEqual([]);
    for (const body of ['one', 'two', '{"amount": 1.5}']) {
      expect((await post(here, path, signTheOldWay(path, body), body)).status).toBe(202);
    }
    expect(warnings()).toHaveLength(1);
    expect(warnings().join()).toContain('v2=');
    expect(warnings().join()).toContain('riverside');
  });
});
