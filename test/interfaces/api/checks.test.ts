/** Tests the checks of a client over HTTP. One check is about the CRM's fields, and the other check is `doctor`. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, openHttpWorld } from './http-world.ts';
import { get, join, send } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const checkSchema = z.strictObject({
  integration: z.string(),
  fields: z.array(
    z.looseObject({ to: z.string(), problem: z.unknown(), createdBySync: z.boolean() }),
  ),
  valuesWaiting: z.strictObject({ values: z.int(), reasons: z.array(z.unknown()) }),
});
const createdSchema = z.strictObject({
  integration: z.string(),
  created: z.array(z.strictObject({ name: z.string(), result: z.string(), problem: z.null() })),
  findings: z.array(z.unknown()),
  viewers: z.unknown(),
  lists: z.null(),
});
const sourceSchema = z.strictObject({
  integration: z.literal('hillside'),
  files: z.array(z.strictObject({ path: z.string(), text: z.string() })),
  leftOut: z.array(z.unknown()),
  next: z.array(z.string()),
});
const doctorSchema = z.strictObject({
  findings: z.array(
    z.strictObject({
      integration: z.string(),
      subject: z.string(),
      ok: z.boolean(),
      message: z.string(),
      fix: z.string().nullable(),
      command: z.string().nullable(),
      cause: z.string().nullable(),
    }),
  ),
  causes: z.int(),
});

/** A CRM without the mapped fields. It is in memory, so the next run would also create them. */
const others = ['harbor'];

describe('/v1/integrations/:integration/fields', () => {
  it('shows what is missing, and creates it once', async () => {
    const world = await open({ isIdle: true, others });
    const path = '/v1/integrations/harbor/fields';
    const token = await world.addToken('admin');
    const before = (await world.request(path, { token })).read(checkSchema);
    expect(before.fields.length).toBeGreaterThan(0);
    for (const { createdBySync } of before.fields) expect(createdBySync).toBe(true);
    const post = () => world.request(path, { method: 'POST', token, body: {} });
    const { created, findings } = (await post()).read(createdSchema);
    expect(created.map(({ name }) => name)).toEqual(before.fields.map(({ to }) => to));
    expect(findings).toEqual([]);
    const after = (await world.request(path, { token })).read(checkSchema);
    expect(after.fields.filter((line) => line.createdBySync || line.problem !== null)).toEqual([]);
    expect((await post()).read(createdSchema).created).toEqual([]);
  });

  it('sends the fields of a Salesforce client as source, without a request to the org', async () => {
    const auth = { type: 'token', token: 'unused' };
    const crm = { kind: 'salesforce', url: 'http://127.0.0.1:9', auth };
    const world = await open({ isIdle: true, others: ['hillside'], other: { crm } });
    const path = '/v1/integrations/hillside/fields/source';
    const token = await world.addToken('admin');
    const { files, leftOut, next } = (await world.request(path, { token })).read(sourceSchema);
    const texts = new Map(files.map((file) => [file.path, file.text]));
    expect(texts.get('sfdx-project.json')).toContain('sourceApiVersion');
    const field = 'force-app/main/default/objects/Contact/fields/Donor_Net_Worth__c.field-meta.xml';
    expect(texts.get(field)).toContain('<label>Donor Net Worth</label>');
    expect(leftOut).toEqual([]);
    expect(next.join()).toContain('sf project deploy start');
  });

  it('adds the button that enhances a record, with the address of the client, only over https', async () => {
    const crm = {
      kind: 'salesforce',
      url: 'http://127.0.0.1:9',
      auth: { type: 'token', token: 'x' },
    };
    const path = '/v1/integrations/hillside/fields/source?enhanceNow=true';
    const world = await open({
      ...{ isIdle: true, others: ['hillside'], other: { crm } },
      publicUrl: 'https://donors.example.org',
    });
    const headers = { host: 'donors.example.org' };
    const token = await world.addToken('admin');
    const { files, next } = (await world.request(path, { token, headers })).read(sourceSchema);
    const credential = files.find((file) =>
      file.path.endsWith('donor_sync.namedCredential-meta.xml'),
    );
    expect(credential?.text).toContain('https://donors.example.org/doors/token/hillside<');
    expect(next.join()).toContain('External Credentials');

    const plain = await open({ isIdle: true, others: ['hillside'], other: { crm } });
    const refused = await plain.request(path, { token: await plain.addToken('admin') });
    expect([refused.status, refused.read(errorSchema).error.code]).toEqual([
      422,
      'door_needs_https',
    ]);
  });

  it('names what to do instead for a CRM whose fields are not deployed', async () => {
    const world = await open({ isIdle: true, others });
    const token = await world.addToken('admin');
    const answer = await world.request('/v1/integrations/harbor/fields/source', { token });
    expect(answer.status).toBe(422);
    const { error } = answer.read(errorSchema);
    expect(error.code).toBe('fields_without_source');
    expect(error.message).toContain('Run `donor-sync fields create` instead.');
  });

  it('names the choices of a bound that is no number', async () => {
    const world = await open({ isIdle: true, others });
    const refused = await world.request('/v1/integrations/harbor/fields', {
      ...{ method: 'POST', token: await world.addToken('admin') },
      body: { warmPathAbove: 120 },
    });
    expect(refused.status).toBe(422);
    expect(refused.read(errorSchema).error.message).toContain('a percentage from 1 to 99');
  });

  it('does the same by the button of the page', async () => {
    const world = await open({ isIdle: true, others });
    const { cookie } = await join(world, 'Olga', 'admin');
    const page = await get(world, '/clients/harbor/fields', cookie);
    expect(await page.text()).toContain('added by the next run');
    const path = '/clients/harbor/fields/create';
    const pressed = await send(world, path, {}, { cookie });
    expect(pressed).toMatchObject({ status: 303, location: '/clients/harbor/fields?note=created' });
    const after = await (await get(world, pressed.location ?? '', cookie)).text();
    expect(after).toContain('What was missing was created.');
    expect(after).not.toContain('added by the next run');
  });
});

describe('the doctor of a client', () => {
  it('has the shape of `doctor --json`, and counts the problems as causes', async () => {
    const world = await open({ isIdle: true, apiKey: 'wrong', others });
    const token = await world.addToken('admin');
    const examine = async (id: string) => {
      const path = `/v1/integrations/${id}/doctor`;
      return (await world.request(path, { method: 'POST', token })).read(doctorSchema);
    };
    const riverside = await examine('riverside');
    const broken = riverside.findings.filter(({ ok }) => !ok);
    expect(broken.map(({ cause }) => cause)).toContain('partner_key_rejected');
    expect(riverside.causes).toBe(new Set(broken.map(({ cause }) => cause)).size);
    expect((await examine('harbor')).causes).toBe(0);
  });

  it('answers on the page as well', async () => {
    const world = await open({ isIdle: true, apiKey: 'wrong' });
    const { cookie } = await join(world, 'Olga', 'admin');
    const { status, text } = await send(world, '/clients/riverside/doctor', {}, { cookie });
    expect(status).toBe(200);
    expect(text).toMatch(/\d problems? to fix/);
    expect(text).toContain('Enter another key');
  });
});

describe('the check of all clients', () => {
  const recordedSchema = z.strictObject({
    approval: z.looseObject({ id: z.string(), what: z.literal('operation'), state: z.string() }),
  });
  const shownSchema = z.looseObject({
    approval: z.looseObject({ state: z.string() }),
    result: z
      .strictObject({
        clients: z.array(doctorSchema.extend({ integration: z.string() })),
        causes: z.int(),
      })
      .nullable(),
  });

  it('answers at once, is carried out by the service, and has its result for a day', async () => {
    const world = await open({ isIdle: true, apiKey: 'wrong', others });
    const token = await world.addToken('admin');
    const asked = await world.request('/v1/clients/check', { method: 'POST', token });
    expect(asked.status).toBe(202);
    const { id } = asked.read(recordedSchema).approval;
    const show = async () =>
      (await world.request(`/v1/approvals/${id}`, { token })).read(shownSchema);
    await expect.poll(async () => (await show()).approval.state, { timeout: 20_000 }).toBe('done');
    const { result } = await show();
    expect(result?.clients.map(({ integration }) => integration)).toEqual(['riverside', 'harbor']);
    expect(result?.clients.map(({ causes }) => causes > 0)).toEqual([true, false]);
    const viewer = await world.addToken('viewer');
    const hidden = await world.request(`/v1/approvals/${id}`, { token: viewer });
    expect(hidden.read(errorSchema).error.code).toBe('role_insufficient');
  });

  it('is about the clients that its caller reaches', async () => {
    const world = await open({ isIdle: true, others });
    const token = await world.addToken('admin', ['harbor']);
    const asked = await world.request('/v1/clients/check', { method: 'POST', token });
    const { id } = asked.read(recordedSchema).approval;
    const show = async () =>
      (await world.request(`/v1/approvals/${id}`, { token })).read(shownSchema);
    await expect.poll(async () => (await show()).approval.state, { timeout: 20_000 }).toBe('done');
    expect((await show()).result?.clients.map(({ integration }) => integration)).toEqual([
      'harbor',
    ]);
  });
});
