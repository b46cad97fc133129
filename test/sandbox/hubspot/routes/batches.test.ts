import { describe, expect, it } from 'vitest';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, CONTACTS, contactIds, readError, readResults, startAccount } from '../account.ts';

function send(account: Parameters<typeof ask>[0], work: string, body: unknown) {
  return ask(account, 'POST', `${CONTACTS}/batch/${work}`, { body });
}

describe('a batch that reads', () => {
  it('gives those that are there, in no order, and names the others', async () => {
    const account = await startAccount();
    const ids = await contactIds(account, 20);
    const inputs = [...ids, '1', '2'].map((id) => ({ id }));
    const answer = await send(account, 'read', { inputs, properties: ['firstname'] });
    expect(answer.status).toBe(207);
    const { results, errors, numErrors } = readResults(answer);
    const given = results.map(({ id }) => id);
    expect(given).not.toEqual(ids);
    expect(new Set(given)).toEqual(new Set(ids));
    expect(numErrors).toBe(1);
    expect(errors).toMatchObject([{ category: 'OBJECT_NOT_FOUND', context: { ids: ['1', '2'] } }]);
  });

  it.each(['INTERNAL_ERROR', 'OBJECT_NOT_FOUND'])(
    'fails to read single records where a rule says so, each for itself (%s)',
    async (category) => {
      const account = await startAccount();
      const [broken = '', whole = ''] = await contactIds(account, 2);
      const rule = { kind: 'unreadable', ids: [broken], category, times: 1 };
      await control(account, 'POST', '/rules', rule);
      const inputs = [{ id: broken }, { id: whole }];
      const answer = await send(account, 'read', { inputs });
      expect(answer.status).toBe(207);
      expect(readResults(answer)).toMatchObject({
        results: [{ id: whole }],
        errors: [{ category, context: { ids: [broken] } }],
      });
      expect((await send(account, 'read', { inputs })).status).toBe(200);
    },
  );

  it('gives a contact once by all the numbers that it had', async () => {
    const account = await startAccount();
    const [primaryId = '', otherId = ''] = await contactIds(account, 2);
    const id = await edit(account, { action: 'merge', primaryId, otherId });
    const inputs = [{ id: primaryId }, { id: otherId }, { id }];
    const answer = await send(account, 'read', { inputs });
    expect(answer.status).toBe(200);
    expect(readResults(answer).results).toMatchObject([{ id }]);
  });

  it('reads by email address, and archived ones', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { email: 'ada@example.org' } });
    const byEmail = { inputs: [{ id: 'ada@example.org' }], idProperty: 'email' };
    expect(readResults(await send(account, 'read', byEmail)).results).toMatchObject([{ id }]);
    await send(account, 'archive', { inputs: [{ id }] });
    expect((await send(account, 'read', byEmail)).status).toBe(207);
    const archived = await send(account, 'read?archived=true', { inputs: [{ id }] });
    expect(readResults(archived).results).toMatchObject([{ id, archived: true }]);
  });

  it('is refused when it is empty, or has more than a hundred', async () => {
    const account = await startAccount();
    const inputs = Array.from({ length: 101 }, (_, index) => ({ id: `${index + 1}` }));
    expect(readError(await send(account, 'read', { inputs })).status).toBe(400);
    expect(readError(await send(account, 'read', { inputs: [] })).status).toBe(400);
    const history = { inputs: inputs.slice(0, 51), propertiesWithHistory: ['city'] };
    expect(readError(await send(account, 'read', history)).status).toBe(400);
  });
});

describe('a batch that changes', () => {
  it('changes those that are there and names the others', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const inputs = [id, '1'].map((one) => ({ id: one, properties: { city: 'Rome' } }));
    const answer = await send(account, 'update', { inputs });
    expect(answer.status).toBe(207);
    expect(readResults(answer)).toMatchObject({
      results: [{ id, properties: { city: 'Rome' } }],
      errors: [{ context: { ids: ['1'] } }],
    });
  });

  it.each([
    ['nope', '1', 'PROPERTY_DOESNT_EXIST'],
    ['createdate', '2026-01-01', 'READ_ONLY_VALUE'],
    ['hs_email_domain', 'example.org', 'READ_ONLY_VALUE'],
    ['annualrevenue', 'a lot', 'INVALID_INTEGER'],
    ['lifecyclestage', 'retired', 'INVALID_OPTION'],
    ['lifecyclestage', ' lead', 'LEADING_TRAILING_WHITESPACE'],
    ['email', 'no address', 'INVALID_EMAIL'],
  ])('changes nothing at all if one %s is %s', async (name, value, code) => {
    const account = await startAccount();
    const [first = '', second = ''] = await contactIds(account, 2);
    const inputs = [
      { id: first, properties: { city: 'Rome' } },
      { id: second, properties: { [name]: value } },
    ];
    const error = readError(await send(account, 'update', { inputs }));
    expect(error).toMatchObject({ status: 400, category: 'VALIDATION_ERROR', errors: [{ code }] });
    expect(error.message).toMatch(/^Property values were not valid: \[\{"isValid":false,/);
    expect(error.message).toContain(`"error":"${code}","name":"${name}"`);
    const { results } = readResults(await ask(account, 'GET', `${CONTACTS}?properties=city`));
    expect(results.map(({ properties }) => properties['city'])).not.toContain('Rome');
  });

  it('is refused if it names a contact twice', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const inputs = [id, id].map((one) => ({ id: one, properties: { city: 'Rome' } }));
    const error = readError(await send(account, 'update', { inputs }));
    expect(error.message).toBe(`Duplicate IDs found in batch input: [${id}]. IDs must be unique`);
  });

  it('leaves out single contacts that an automation refuses', async () => {
    const account = await startAccount();
    const [first = '', second = ''] = await contactIds(account, 2);
    const rule = { kind: 'refuse', ids: [second], message: 'Locked by the board.', times: 1 };
    expect((await control(account, 'POST', '/rules', rule)).status).toBe(201);
    const inputs = [first, second].map((id) => ({ id, properties: { city: 'Rome' } }));
    const refused = readResults(await send(account, 'update', { inputs }));
    expect(refused).toMatchObject({
      results: [{ id: first }],
      errors: [{ message: 'Locked by the board.', context: { ids: [second] } }],
    });
    expect((await send(account, 'update', { inputs })).status).toBe(200);
  });

  it('tells the trace id of each contact back', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    const inputs = [{ id, properties: { city: 'Rome' }, objectWriteTraceId: 't1' }];
    const { body } = await send(account, 'update', { inputs });
    expect(body).toMatchObject({ results: [{ objectWriteTraceId: 't1' }] });
  });
});

describe('a batch that creates', () => {
  const inputs = [
    { properties: { email: 'ada@example.org' } },
    { properties: { city: 'a quoted text' } },
  ];

  it('creates none if one cannot be created', async () => {
    const account = await startAccount();
    expect((await send(account, 'create', { inputs })).status).toBe(400);
    const { status } = await ask(account, 'GET', `${CONTACTS}/ada@example.org?idProperty=email`);
    expect(status).toBe(404);
  });

  it('creates the others if each has a trace id', async () => {
    const account = await startAccount();
    const traced = inputs.map((input, index) => ({ ...input, objectWriteTraceId: `${index}` }));
    const answer = await send(account, 'create', { inputs: traced });
    expect(answer.status).toBe(207);
    expect(readResults(answer)).toMatchObject({
      results: [{ properties: { email: 'ada@example.org' } }],
      errors: [{ category: 'VALIDATION_ERROR', context: { objectWriteTraceId: ['1'] } }],
    });
    const again = traced.slice(0, 1);
    expect(readResults(await send(account, 'create', { inputs: again })).errors).toMatchObject([
      { category: 'CONFLICT' },
    ]);
  });

  it('answers 201 when all went well', async () => {
    const account = await startAccount();
    const answer = await send(account, 'create', { inputs: inputs.slice(0, 1) });
    expect(answer.status).toBe(201);
  });
});

describe('a batch that changes or creates', () => {
  it('says which ones are new', async () => {
    const account = await startAccount();
    const [id = ''] = await contactIds(account, 1);
    await edit(account, { action: 'update', id, values: { email: 'ada@example.org' } });
    const inputs = ['ada@example.org', 'new@example.org'].map((email) => ({
      id: email,
      idProperty: 'email',
      properties: { city: 'Rome' },
    }));
    const { results } = readResults(await send(account, 'upsert', { inputs }));
    expect(results.find((record) => record.new === false)).toMatchObject({ id });
    expect(results.find((record) => record.new === true)).toMatchObject({
      properties: { email: 'new@example.org', city: 'Rome' },
    });
  });

  it('refuses a property that many contacts may share', async () => {
    const account = await startAccount();
    const inputs = [{ id: 'Rome', idProperty: 'city', properties: {} }];
    expect(readError(await send(account, 'upsert', { inputs })).message).toContain('non-unique');
  });
});
