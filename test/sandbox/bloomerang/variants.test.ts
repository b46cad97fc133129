/** Tests each possible behaviour for everything that the documents leave open. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BloomerangSandboxOptions } from '../../../sandbox/bloomerang/index.ts';
import { control } from '../../testbed/asking.ts';
import { ask, startAccount } from './account.ts';

const FIELDS = [{ name: 'Note' }, { name: 'Remark' }];

async function openWith(variant: BloomerangSandboxOptions['variant'] = {}) {
  const account = await startAccount({ variant, customFields: FIELDS, contacts: 0 });
  const created = await ask(account, 'POST', '/constituent', {
    body: {
      Type: 'Individual',
      ...{ FirstName: 'Maria', LastName: 'Lopez', Employer: 'Acme', JobTitle: 'Chair' },
      PrimaryPhone: { Type: 'Home', Number: '(555) 555-0100' },
      PrimaryAddress: { Street: '1 Elm Street', City: 'Springfield', State: 'IL' },
      CustomValues: [
        { FieldId: 1, Value: 'a' },
        { FieldId: 2, Value: 'b' },
      ],
    },
  });
  const { Id } = z.looseObject({ Id: z.number() }).parse(created.body);
  const put = (body: unknown) => ask(account, 'PUT', `/constituent/${Id}`, { body });
  return { account, id: Id, put };
}

const NAMED = { Type: 'Individual', FirstName: 'Maria', LastName: 'Lopez' };
const ONE_VALUE = { CustomValues: [{ FieldId: 1, Value: 'new' }] };

describe('a PUT', () => {
  it('keeps the parts that it does not name, if it merges', async () => {
    const { put } = await openWith();
    expect((await put(ONE_VALUE)).body).toMatchObject({
      ...NAMED,
      Employer: 'Acme',
      PrimaryPhone: { Number: '(555) 555-0100' },
      CustomValues: [{ Value: { Value: 'new' } }, { Value: { Value: 'b' } }],
    });
  });

  it('blanks them if it replaces, but not the restrictions, which have their own request', async () => {
    const { put, account, id } = await openWith({ put: 'replaces' });
    await control(account, 'POST', '/edit', {
      action: 'communicate',
      id,
      settings: {
        CommunicationRestrictions: {
          UpdateReason: 'asked',
          CommunicationRestrictions: ['DoNotMail'],
        },
      },
    });
    const { body: json } = await put({ ...NAMED, ...ONE_VALUE });
    expect(json).toMatchObject({ CommunicationRestrictions: ['DoNotMail'] });
    const shown = z.looseObject({ CustomValues: z.array(z.unknown()) }).parse(json);
    expect(shown['Employer']).toBeUndefined();
    expect(shown['PrimaryPhone']).toBeUndefined();
    expect(shown.CustomValues).toHaveLength(1);
  });

  it('blanks other custom values if only their list replaces', async () => {
    const { put } = await openWith({ customValues: 'replaces' });
    const { body: json } = await put(ONE_VALUE);
    expect(json).toMatchObject({ Employer: 'Acme', CustomValues: [{ FieldId: 1 }] });
  });

  it('can require the names of an individual', async () => {
    const { put } = await openWith({ names: 'required' });
    expect(await put(ONE_VALUE)).toMatchObject({
      status: 400,
      body: { Errors: ['FirstName is required.', 'LastName is required.'] },
    });
    expect((await put({ ...NAMED, ...ONE_VALUE })).status).toBe(200);
  });
});

describe('lists', () => {
  it('cut or refuse a larger take', async () => {
    const cut = await startAccount({ variant: { maxTake: 10 } });
    const { body: json } = await ask(cut, 'GET', '/constituents?take=50&type=Individual');
    expect(json).toMatchObject({ Total: 22, TotalFiltered: 20, Start: 0, ResultCount: 10 });
    const refusing = await startAccount({ variant: { maxTake: 10, largerTake: 'refuse' } });
    expect((await ask(refusing, 'GET', '/constituents?take=50')).status).toBe(400);
  });

  it('filter by IDs between pipes, and by a time in the zone of the account', async () => {
    for (const zoneMinutes of [0, -360, 600]) {
      const { account, id, put } = await openWith({ zoneMinutes });
      const read = await ask(account, 'GET', `/constituents?id=${id}|1`);
      const { Results } = z
        .object({
          Results: z.array(z.object({ AuditTrail: z.object({ LastModifiedDate: z.string() }) })),
        })
        .parse(read.body);
      const shown = Results[0]?.AuditTrail.LastModifiedDate ?? '';
      const distanceMs = Math.abs(Date.parse(shown) - Date.now() - zoneMinutes * 60_000);
      expect(distanceMs).toBeLessThan(60_000);
      const hourMs = 3_600_000;
      const timeAt = (ms: number) => new Date(Date.parse(shown) + ms).toISOString();
      const count = async (since: string) =>
        (await ask(account, 'GET', `/constituents?lastModified=${since}`)).body;
      expect(await count(timeAt(-hourMs))).toMatchObject({ TotalFiltered: 1 });
      expect(await count(timeAt(hourMs))).toMatchObject({ TotalFiltered: 0 });
      await put(ONE_VALUE);
    }
  });

  it('can leave a change of a custom value out of the modification', async () => {
    let nowMs = Date.now();
    const account = await startAccount({
      variant: { partsCountAsChange: false },
      customFields: FIELDS,
      clock: () => nowMs,
    });
    const [first] = z
      .object({ Results: z.array(z.object({ Id: z.number() })) })
      .parse((await ask(account, 'GET', '/constituents?take=1')).body).Results;
    nowMs += 60_000;
    const since = new Date(nowMs - 30_000).toISOString();
    await ask(account, 'PUT', `/constituent/${first?.Id}`, { body: ONE_VALUE });
    const { body: json } = await ask(account, 'GET', `/constituents?lastModified=${since}`);
    expect(json).toMatchObject({ TotalFiltered: 0 });
  });
});

describe('too many requests', () => {
  it.each([
    ['retryAfter', 429, '1'],
    ['bare', 429, null],
    ['unavailable', 503, null],
  ] as const)('are refused in the form "%s"', async (throttling, status, retryAfter) => {
    const account = await startAccount({ ratePerSecond: 2, variant: { throttling } });
    const answers = [];
    for (let at = 0; at < 3; at += 1) {
      answers.push(
        await fetch(`${account.baseUrl}/database`, { headers: { 'x-api-key': account.token } }),
      );
    }
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, status]);
    expect(answers[2]?.headers.get('retry-after')).toBe(retryAfter);
  });
});

describe('a key', () => {
  it('is needed, and can be withdrawn', async () => {
    const account = await startAccount();
    expect((await ask(account, 'GET', '/database', { key: '' })).status).toBe(401);
    expect((await ask(account, 'GET', '/database')).status).toBe(200);
    await control(account, 'DELETE', '/keys');
    expect((await ask(account, 'GET', '/database')).status).toBe(401);
  });
});

describe('the controls', () => {
  it('change the variant in part, and refuse an unknown one', async () => {
    const account = await startAccount({ variant: { put: 'replaces' } });
    const changed = await control(account, 'PUT', '/variant', { names: 'required' });
    expect(changed.body).toMatchObject({ put: 'replaces', names: 'required' });
    expect((await control(account, 'PUT', '/variant', { put: 'sometimes' })).status).toBe(422);
  });

  it('keep every former state of a constituent', async () => {
    const { account, id, put } = await openWith();
    await put(ONE_VALUE);
    const { body: json } = await control(account, 'GET', `/record/constituent/${id}`);
    expect(json).toMatchObject({
      custom: { 1: 'new', 2: 'b' },
      changes: [{ before: { custom: { 1: 'a', 2: 'b' } } }],
    });
  });
});
